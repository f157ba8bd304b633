CREATE TABLE looks (
    id INTEGER PRIMARY KEY,
    treatment TEXT NOT NULL,
    blocks INTEGER NOT NULL,
    n INTEGER NOT NULL,
    decision TEXT NOT NULL,
    blinded_reason TEXT NOT NULL,
    look TEXT NOT NULL,
    plan_hash TEXT NOT NULL,
    at TEXT NOT NULL,
    UNIQUE (treatment, blocks)
);
CREATE TABLE unblindings (
    id INTEGER PRIMARY KEY,
    who TEXT NOT NULL,
    at TEXT NOT NULL,
    reason TEXT NOT NULL
);
CREATE TABLE amendments (
    id INTEGER PRIMARY KEY,
    who TEXT NOT NULL,
    at TEXT NOT NULL,
    plan_hash TEXT NOT NULL,
    change TEXT NOT NULL,
    exploratory TEXT NOT NULL
);
ALTER TABLE runs ADD COLUMN failure TEXT;
