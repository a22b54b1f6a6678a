"""What runs: one package for each service, `kit` beneath them, `ops` for operators."""
