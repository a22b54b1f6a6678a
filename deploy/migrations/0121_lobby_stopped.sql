-- A table that a fault has stopped is not listed, but kept: an operator may let it go on.
ALTER TABLE lobby_tables ADD COLUMN stopped boolean NOT NULL DEFAULT false;
