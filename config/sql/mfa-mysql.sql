-- Tables for second factors and app passwords, for MySQL and MariaDB. Grant Postern's database user SELECT, INSERT, UPDATE and DELETE.
-- With the binary collation, values are compared byte by byte.
CREATE TABLE postern_totp (account varchar(255) NOT NULL PRIMARY KEY, secret text NOT NULL) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE postern_recovery_codes (account varchar(255) NOT NULL, code varchar(191) NOT NULL, PRIMARY KEY (account, code)) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE postern_webauthn (account varchar(255) NOT NULL, credential text NOT NULL, KEY (account), KEY (credential(100))) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE postern_app_passwords (account varchar(255) NOT NULL, id char(16) NOT NULL, digest char(43) NOT NULL, label varchar(255) NOT NULL, protocols text NOT NULL, created_at bigint NOT NULL, last_used_at bigint, PRIMARY KEY (account, id)) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
