"""Shared plumbing of the services: bus, feed, event store, clock; knows no game and no service."""
