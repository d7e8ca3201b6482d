#!/bin/sh
# Creates the missing secrets of docker-compose.yml, with random values, in deploy/compose/secrets; with the argument
# `production`, also those of deploy/compose/production.yaml.
# Only the owner can open the folder; the files inside are readable, because the containers run under another user ID.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
make_secret() {
  [ -s "secrets/$1" ] && return 0
  # Begins with a letter: NATS reads a value of digits as a number.
  printf 's%s' "$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')" >"secrets/$1.new"
  chmod 0644 "secrets/$1.new"
  mv "secrets/$1.new" "secrets/$1"
  echo "created deploy/compose/secrets/$1"
}
case "${1:-}" in
  "") production="" ;;
  production) production="oidc_webmail_secret oidc_dovecot_secret saml_persistent_id_secret notice_mail_password" ;;
  *) echo "usage: make-secrets.sh [production]" >&2; exit 2 ;;
esac
for name in backchannel_password caller_assertion_secret password_nonce encryption_secret \
  redis_password nats_token ldap_bind_password $production; do
  make_secret "$name"
done
