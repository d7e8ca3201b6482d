#!/bin/bash
# Runs inside the throw-away root, under systemd; tools/package/test-package.sh starts it.
set -euo pipefail
readonly services='postern-auth-engine postern-idp postern-admin postern-jobs-worker postern-gateway'
cd /test

step() { echo "--- $* ($(($(date +%s) - started)) s)"; }
must() { "$@" || { echo "FAILED: $*"; exit 1; }; }
mustnt() { if "$@"; then echo "FAILED: expected to fail: $*"; exit 1; fi; }
pid() { systemctl show --property MainPID --value "$1"; }
login() { doveadm auth test alice@example.test "$1"; }
until_true() {
  local tries=0
  until "$@"; do
    tries=$((tries + 1))
    if [ "$tries" -ge 60 ]; then echo "FAILED: did not become true: $*"; exit 1; fi
    sleep 0.5
  done
}
trap 'echo "FAILED in line $LINENO"; journalctl --no-pager -n 60' ERR
readonly started=$(date +%s)

step "install"
must dpkg -i postern_0.0.9-1_amd64.deb
mustnt systemctl --quiet is-active postern-gateway
systemctl start postern.target || true
mustnt systemctl --quiet is-active postern.target

step "init"
must postern init --shape one --mail-server dovecot --backend sqlite:/var/lib/postern/directory.sqlite
mustnt postern init --mail-server dovecot --backend sqlite:/var/lib/postern/directory.sqlite
must postern config check --strict --config /etc/postern/config.yaml
[ "$(stat -c '%a %U:%G' /etc/postern/secrets/caller_dovecot)" = '640 root:postern' ]
[ "$(stat -c '%a %U:%G' /etc/postern/config.yaml)" = '640 root:postern' ]
redis-cli config set appendonly yes
redis-cli config rewrite

step "start"
must systemctl enable --now postern.service
must systemctl --quiet is-active postern.service
# Ports from 9000 on all addresses, in hexadecimal.
mustnt grep -E '^ *[0-9]+: 0+:2[3-7]' /proc/net/tcp /proc/net/tcp6
systemd-analyze security postern.service --no-pager | tail -n 1

step "an account"
hash=$(doveadm pw -s BLF-CRYPT -p 'a long test password')
runuser -u postern -- sqlite3 /var/lib/postern/directory.sqlite \
  "INSERT INTO users (username, password) VALUES ('alice@example.test', '$hash')"

step "Dovecot"
install -o root -g dovecot -m 0640 /usr/share/doc/postern/examples/dovecot/postern.lua /etc/dovecot/postern.lua
authorization=$(printf 'dovecot:%s' "$(cat /etc/postern/secrets/caller_dovecot)" | base64 -w 0)
sed -i "s|\"Basic .*\"|\"Basic $authorization\"|" /etc/dovecot/postern.lua
cat >/etc/dovecot/conf.d/auth-postern.conf.ext <<'DOVECOT'
passdb {
  driver = lua
  args = file=/etc/dovecot/postern.lua blocking=yes
}
userdb {
  driver = lua
  args = file=/etc/dovecot/postern.lua blocking=yes
}
auth_username_chars =
mail_home = /var/vmail/%Ld/%Ln
mail_location = maildir:~/Maildir
mail_uid = vmail
mail_gid = vmail
DOVECOT
useradd --user-group --home-dir /var/vmail --shell /usr/sbin/nologin vmail
install -d -o vmail -g vmail -m 0700 /var/vmail
cp /etc/dovecot/conf.d/10-auth.conf /root/10-auth.conf.orig
sed -i 's/^!include auth-/#&/; $a !include auth-postern.conf.ext' /etc/dovecot/conf.d/10-auth.conf
systemctl restart dovecot
must postern doctor --dovecot
until_true doveadm auth test alice@example.test 'a long test password'
sleep 1
must sh -c 'journalctl -u postern -o cat -g decided -n 1 | grep alice@example.test'
mustnt login 'wrong'
printf '%s\n' 'a login alice@example.test "a long test password"' 'b list "" *' 'c logout' |
  openssl s_client -quiet -crlf -connect 127.0.0.1:993 >imap.log 2>&1 || true
must grep -q '^a OK .*Logged in' imap.log
must grep -q 'LIST .*INBOX' imap.log
step "signed in through Dovecot"

step "doctor"
must postern doctor --dovecot --strict

must postern bans

step "reload of one process"
before=$(pid postern)
must systemctl reload postern
until_true sh -c "[ \"\$(journalctl -u postern | grep -c 'configuration reloaded')\" -ge 5 ]"
[ "$before" = "$(pid postern)" ]

step "five services"
token=$(openssl rand -hex 32)
printf '%s\n' "$token" | install -o root -g postern -m 0640 /dev/stdin /etc/postern/secrets/nats_token
printf '%s\n' 'host: 127.0.0.1' 'port: 4222' 'max_payload: 4MB' 'ping_interval: "2s"' 'ping_max: 2' 'write_deadline: "2s"' \
  "authorization { token: \"$token\" }" | install -o root -g nats -m 0640 /dev/stdin /etc/nats-server.conf
systemctl restart nats-server
sed -i 's|^    servers: \[\]$|    servers: ["nats://127.0.0.1:4222"]\n    token: { file: "/etc/postern/secrets/nats_token" }|' /etc/postern/config.yaml
must postern config check
systemctl disable postern.service
must systemctl enable --now postern.target
must postern doctor
mustnt systemctl --quiet is-active postern.service
for unit in $services; do must systemctl --quiet is-active "$unit"; done
must login 'a long test password'

step "reload"
before=$(pid postern-gateway)
sed -i 's/failed_requests: 10/failed_requests: 11/' /etc/postern/config.yaml
systemctl reload 'postern-*.service'
until_true sh -c "journalctl -u postern-auth-engine | grep -q 'configuration reloaded'"
[ "$before" = "$(pid postern-gateway)" ]

step "a reload of a configuration that would be refused fails, and the services keep theirs"
cp -p /etc/postern/config.yaml /root/config.yaml
echo 'storag: {}' >>/etc/postern/config.yaml
mustnt systemctl reload postern-gateway
must login 'a long test password'
kill -HUP "$(pid postern-idp)"
until_true sh -c "journalctl -t postern-idp -p err | grep -q 'configuration refused'"
postern status >status.log || true
must grep -q 'refused at .* because storag' status.log
cp -p /root/config.yaml /etc/postern/config.yaml
systemctl reload 'postern-*.service'

step "documents, dashboards, rules and schemas"
for file in doc/postern/docs/operate/outages.md doc/postern/README.md postern/dashboards/gateway.json postern/alerts.yaml \
  postern/config.schema.json postern/management.yaml; do must test -s "/usr/share/$file"; done
mustnt grep -q 'runbook: docs/' /usr/share/postern/alerts.yaml

step "a gateway that hangs is replaced by the watchdog"
mkdir -p /run/systemd/system/postern-gateway.service.d
printf '[Service]\nWatchdogSec=2\n' >/run/systemd/system/postern-gateway.service.d/watchdog.conf
systemctl daemon-reload
systemctl restart postern-gateway
hung=$(pid postern-gateway)
kill -STOP "$hung"
until_true sh -c "[ \"\$(systemctl show --property MainPID --value postern-gateway)\" != $hung ] && systemctl --quiet is-active postern-gateway"
journalctl -u postern-gateway | grep -m 1 -i 'watchdog timeout'
rm -r /run/systemd/system/postern-gateway.service.d
systemctl daemon-reload

step "one process, and back"
must systemctl start postern.service
must systemctl --quiet is-active postern.service
for unit in $services; do mustnt systemctl --quiet is-active "$unit"; done
must login 'a long test password'
must systemctl reload postern.service
must systemctl start postern.target
mustnt systemctl --quiet is-active postern.service
for unit in $services; do must systemctl --quiet is-active "$unit"; done
must login 'a long test password'

step "a second engine"
must systemctl start postern-auth-engine@9112
must curl -fsS http://127.0.0.1:9112/readyz

step "upgrade"
before=$(pid postern-gateway)
must dpkg -i postern_[1-9]*_amd64.deb
for unit in $services postern-auth-engine@9112; do must systemctl --quiet is-active "$unit"; done
[ "$before" != "$(pid postern-gateway)" ]
must login 'a long test password'
grep -q 'failed_requests: 11' /etc/postern/config.yaml
must systemctl --quiet is-enabled postern.target

step "remove"
must dpkg -r postern
mustnt sh -c 'find /proc -maxdepth 1 -user postern | grep -q .'
[ -e /etc/postern/config.yaml ]

step "purge"
must dpkg -P postern
mustnt getent passwd postern
left=$(find / -xdev -name '*postern*' -not -path '/test/*' -not -path '/proc/*' -not -path '/etc/dovecot/*' -not -path '/var/log/journal/*' -not -path '/run/*' -not -path '/var/tmp/*' -not -path '/tmp/*')
[ -z "$left" ] || { echo "FAILED: purge left $left"; exit 1; }
step "done"
echo 'all steps passed'
