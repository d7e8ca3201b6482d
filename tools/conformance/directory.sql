-- One account with a value for every standard claim (OpenID Connect Core §5.1). The password is alice-demo-password.
CREATE TABLE users (
  account TEXT NOT NULL PRIMARY KEY,
  password TEXT NOT NULL,
  uid TEXT NOT NULL,
  displayName TEXT, givenName TEXT, sn TEXT, middleName TEXT, nickname TEXT,
  mail TEXT, verified TEXT, telephoneNumber TEXT, postalAddress TEXT,
  preferredLanguage TEXT, zoneinfo TEXT, gender TEXT, birthdate TEXT,
  labeledURI TEXT, profilePage TEXT, pictureUrl TEXT, updatedAt TEXT
) STRICT, WITHOUT ROWID;

INSERT INTO users VALUES (
  'alice@example.test',
  '$argon2id$v=19$m=19456,t=2,p=1$lpeolDgUQs7W7m1V8yEjBA$F+ikklVymRL3wOlyidGUe/XT940h9mEYCMpXhrD5MYE',
  'alice',
  'Alice Example', 'Alice', 'Example', 'Mary', 'ali',
  'alice@example.test', 'true', '+49 30 123456', 'Street 1$12345 Town$Germany',
  'en-GB', 'Europe/Berlin', 'female', '1980-02-03',
  'https://www.example.test/alice', 'https://www.example.test/alice/profile', 'https://www.example.test/alice.png', '1767225600'
);
