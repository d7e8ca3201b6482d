-- Accounts of the demo. Their passwords are published in README.md: never use this file for real accounts.
-- Passwords are Argon2id (m=19456, t=2, p=1) of <name>-demo-password.

CREATE TABLE users (
  username TEXT NOT NULL PRIMARY KEY COLLATE NOCASE,
  password TEXT,
  display_name TEXT NOT NULL,
  mail TEXT NOT NULL,
  uid TEXT NOT NULL UNIQUE,
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  totp_secret TEXT
) STRICT, WITHOUT ROWID;

INSERT INTO users (username, password, display_name, mail, uid, totp_secret) VALUES
  ('alice@example.test',
   '$argon2id$v=19$m=19456,t=2,p=1$lpeolDgUQs7W7m1V8yEjBA$F+ikklVymRL3wOlyidGUe/XT940h9mEYCMpXhrD5MYE',
   'Alice Example', 'alice@example.test', 'alice', NULL),
  ('bob@example.test',
   '$argon2id$v=19$m=19456,t=2,p=1$8XEpJu58lkUaYyNtNbaMoQ$mbn+FM0NSo8vsch4cncHXf1puuxMCbAbuqGo60iALfQ',
   'Bob Example', 'bob@example.test', 'bob', 'JBSWY3DPEHPK3PXP'),
  ('carol@example.test',
   '$argon2id$v=19$m=19456,t=2,p=1$EyT4poTCLFu870/3lDBDzQ$3d+jYcZzWQNunEwufnCSvfAXJ5c7JTcnhtUVzBnSe1Q',
   'Carol Example', 'carol@example.test', 'carol', NULL);

-- Operators of the console. Their uid is their role in config/demo.yaml.
INSERT INTO users (username, password, display_name, mail, uid, totp_secret) VALUES
  ('desk@example.test', '$argon2id$v=19$m=19456,t=2,p=1$AZFJaPA9QQ+h6/Bq8DBZmw$rRsyNZzG8/lHkBGH2DUKadCDL1145UfUvLS4bQScRoM',
   'Help Desk', 'desk@example.test', 'desk', 'JBSWY3DPEHPK3PXQ'),
  ('secops@example.test', '$argon2id$v=19$m=19456,t=2,p=1$k0SR4hxF1Q2CoXG6HsoUqA$gHZOBTH2Dk35F8w6xJatQkfjpPbu7N2IpC8ZHaNx8YU',
   'Security Team', 'secops@example.test', 'secops', 'JBSWY3DPEHPK3PXR'),
  ('admin@example.test', '$argon2id$v=19$m=19456,t=2,p=1$zb6R8ox5ZVcpz4f8JDE69A$e3MeU7GgXbahdT9/ZDUTo4EbiKMpG2BUn7J1ELZxcc0',
   'Administrator', 'admin@example.test', 'admin', 'JBSWY3DPEHPK3PXS');

-- Second factors and app passwords: docs/connect/sql.md. TOTP secrets are in the table above, by queries of the demo.
-- Carol's recovery codes are plain, as a provisioning system writes them; those that Postern generates are hashes.
CREATE TABLE postern_recovery_codes (
  account TEXT NOT NULL,
  code TEXT NOT NULL,
  PRIMARY KEY (account, code)
) STRICT, WITHOUT ROWID;

CREATE TABLE postern_webauthn (
  account TEXT NOT NULL,
  credential TEXT NOT NULL,
  PRIMARY KEY (account, credential)
) STRICT, WITHOUT ROWID;

CREATE TABLE postern_app_passwords (
  account TEXT NOT NULL,
  id TEXT NOT NULL,
  digest TEXT NOT NULL,
  label TEXT NOT NULL,
  protocols TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;

INSERT INTO postern_recovery_codes (account, code) VALUES
  ('carol@example.test', 'CARL-2345'),
  ('carol@example.test', 'CARL-6789'),
  ('carol@example.test', 'CARL-WXYZ');

-- app-careed-emeapp-asswer-dferca-reprgj
INSERT INTO postern_app_passwords (account, id, digest, label, protocols, created_at) VALUES
  ('carol@example.test', 'ca401ca401ca4010', 'NqfMsiSOQqakrn7PTblxZ3PmjS8PdtGbm6mPvIMPvFQ', 'demo phone', 'imap smtp', 1767225600);
