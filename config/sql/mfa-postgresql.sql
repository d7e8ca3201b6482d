-- Tables for second factors and app passwords, for PostgreSQL. Grant Postern's database user SELECT, INSERT, UPDATE and DELETE.
CREATE TABLE postern_totp (account text PRIMARY KEY, secret text NOT NULL);
CREATE TABLE postern_recovery_codes (account text NOT NULL, code text NOT NULL, PRIMARY KEY (account, code));
CREATE TABLE postern_webauthn (account text NOT NULL, credential text NOT NULL);
CREATE INDEX postern_webauthn_account ON postern_webauthn (account);
CREATE INDEX postern_webauthn_credential ON postern_webauthn USING spgist (credential);
CREATE TABLE postern_app_passwords (account text NOT NULL, id text NOT NULL, digest text NOT NULL, label text NOT NULL, protocols text NOT NULL, created_at bigint NOT NULL, last_used_at bigint, PRIMARY KEY (account, id));
