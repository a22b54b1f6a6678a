"""The table service: one desk per live table decides its commands and appends what follows."""
