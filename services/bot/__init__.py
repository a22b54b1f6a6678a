"""Computer players: a prompt comes in, a decision goes out; they know what their seat may see."""
