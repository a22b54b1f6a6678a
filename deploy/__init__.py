"""How Logbuch is run: the embedded stack, the schema, the configuration of its servers."""
