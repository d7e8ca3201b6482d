-- The schema of sql-users.lua, for MariaDB.
CREATE TABLE people (login VARCHAR(190) PRIMARY KEY, secret VARCHAR(255) NOT NULL, gone TINYINT NOT NULL DEFAULT 0);
CREATE TABLE mailboxes (address VARCHAR(190) PRIMARY KEY, login VARCHAR(190) NOT NULL, KEY (login));
CREATE TABLE otp (login VARCHAR(190) PRIMARY KEY, secret TEXT NOT NULL);
CREATE TABLE rescue_codes (login VARCHAR(190), code VARBINARY(190), PRIMARY KEY (login, code));
CREATE TABLE passkeys (id BIGINT AUTO_INCREMENT PRIMARY KEY, login VARCHAR(190), credential BLOB NOT NULL, KEY (login),
  KEY (credential(100)));
CREATE TABLE device_passwords (
  login VARCHAR(190), id CHAR(16), digest VARCHAR(190) NOT NULL, label VARCHAR(64) NOT NULL, protocols TEXT NOT NULL,
  created_at BIGINT NOT NULL, last_used_at BIGINT, PRIMARY KEY (login, id)
);
