CREATE TABLE study (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL,
    created TEXT NOT NULL,
    state TEXT NOT NULL,
    phase TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    changed TEXT NOT NULL
);
CREATE TABLE plan (
    version INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL,
    hash TEXT NOT NULL,
    created TEXT NOT NULL,
    power TEXT
);
CREATE TABLE approvals (
    id INTEGER PRIMARY KEY,
    who TEXT NOT NULL,
    at TEXT NOT NULL,
    plan_hash TEXT NOT NULL,
    ceiling_device_hours REAL NOT NULL
);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    arm TEXT NOT NULL,
    seed INTEGER NOT NULL,
    replicate INTEGER NOT NULL,
    run_key TEXT NOT NULL UNIQUE,
    folder TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT ''
);
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (id),
    k INTEGER NOT NULL,
    host TEXT NOT NULL,
    boot_id TEXT NOT NULL,
    pid INTEGER,
    process_started REAL,
    started REAL NOT NULL,
    ended REAL,
    outcome TEXT,
    reason TEXT NOT NULL DEFAULT '',
    device_hours REAL,
    UNIQUE (run, k)
);
CREATE TABLE scorings (
    id INTEGER PRIMARY KEY,
    seed INTEGER NOT NULL,
    started REAL NOT NULL,
    ended REAL,
    outcome TEXT,
    device_hours REAL
);
CREATE TABLE scores (
    run INTEGER NOT NULL REFERENCES runs (id),
    score_key TEXT NOT NULL,
    suite TEXT NOT NULL,
    benchmark TEXT NOT NULL,
    domain TEXT NOT NULL,
    score REAL NOT NULL,
    questions INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    harness TEXT NOT NULL,
    PRIMARY KEY (run, benchmark)
);
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL
);
