"""What commands share: how they read arguments, show long work and fail."""
