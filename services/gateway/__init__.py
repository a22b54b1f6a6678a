"""The gateway: who somebody is, and what he may do on the bus."""
