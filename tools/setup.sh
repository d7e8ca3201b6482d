#!/usr/bin/env bash
# Installs the requirements of a make target: npm packages, the pinned Node, servers from the system's packages.
# Usage: tools/setup.sh packages|run|run-one|test|test-long|test-package|bench|bench-long|screenshots [--dry-run]
# Takes little time if nothing is missing. The output of the commands is in .run/setup.log.
# SETUP_SERVER_PATH replaces the folders that are searched for servers, SETUP_APACHE_MODULES the folder of Apache's modules,
# SETUP_SASL_MODULES the folder above that of SASL's, SETUP_DOVECOT_MODULES that of Dovecot's, SETUP_SHARE the folder of programs in PHP,
# SETUP_POLICY_FILE the path of policy-rc.d.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly purpose="${1:-run}" option="${2:-}"
readonly server_path="${SETUP_SERVER_PATH:-$PATH:/usr/local/sbin:/usr/sbin:/sbin}"
readonly policy="${SETUP_POLICY_FILE:-/usr/sbin/policy-rc.d}"
readonly saved_policy="$policy.postern-saved"
readonly log=.run/setup.log stamp=.run/packages.stamp pinned=node_modules/.bin/node
readonly toolchain=.run/toolchain

say() { echo "setup: $*"; }
die() { say "$*" >&2; exit 1; }

# Runs a command and writes its output to the log only.
logged() { echo "+ $*" >>"$log"; "$@" >>"$log" 2>&1 </dev/null 8>&- 9>&-; }

show_tail() { echo "--- last lines of $log" >&2; tail -n 20 "$log" >&2; echo "---" >&2; }

fingerprint() {
  { uname -sm; cat package.json package-lock.json .npmrc libs/*/package.json services/*/package.json; } | sha256sum | cut -d ' ' -f 1
}

packages_ready() {
  [ -x "$pinned" ] && [ -f "$stamp" ] && [ "$(<"$stamp")" = "$(fingerprint)" ]
}

# Prints the version of Node, or of npm, that package.json pins.
pinned_node() { sed -n 's/^ *"node": "\([0-9][0-9.]*\)".*/\1/p' package.json; }
pinned_npm() { sed -n 's/^ *"packageManager": "npm@\([0-9][0-9.]*\)".*/\1/p' package.json; }

node_runs() {
  local version
  version="$("$pinned" --version 2>/dev/null)" && [ "$version" = "v$(pinned_node)" ]
}

# Whether the machine's Node and npm can install all packages. Older ones skip optional packages with compiled parts
# whose `engines` exclude them, without a word.
fits_packages() {
  local node npm
  node="$(node --version 2>/dev/null)" && npm="$(npm --version 2>/dev/null)" || return 1
  node="${node#v}"
  [ "${node%%.*}" -ge 22 ] && [ "${npm%%.*}" -ge 10 ]
}

# Installs the pinned Node and npm with the machine's own, and uses them from then on.
use_toolchain() {
  local bin="$PWD/$toolchain/node_modules/.bin"
  if [ "$("$bin/node" --version 2>/dev/null)" != "v$(pinned_node)" ] || [ "$("$bin/npm" --version 2>/dev/null)" != "$(pinned_npm)" ]; then
    say "Node $(pinned_node) and npm $(pinned_npm), because this machine's are too old for the packages ..."
    rm -rf "$toolchain"
    mkdir -p "$toolchain"
    echo '{ "private": true }' >"$toolchain/package.json"
    logged npm install --prefix "$toolchain" --no-audit --no-fund "node@$(pinned_node)" "npm@$(pinned_npm)" ||
      { show_tail; die "npm could not install Node $(pinned_node); see $log for the complete output"; }
  fi
  export PATH="$bin:$PATH"
}

restore_lock() { cmp -s .run/package-lock.json package-lock.json || cp .run/package-lock.json package-lock.json; }

# `npm ci` refuses its own lock where a registry lacks other platforms' optional binaries; `npm install` does not,
# but may rewrite the lock, which belongs to git.
install_packages() {
  fits_packages || use_toolchain
  say "npm packages (the first time takes a minute) ..."
  logged npm ci --no-audit --no-fund && return 0
  cp package-lock.json .run/package-lock.json
  trap restore_lock EXIT
  local result=0
  logged npm install --no-save --no-audit --no-fund || result=$?
  restore_lock
  trap - EXIT
  [ "$result" -eq 0 ] || { show_tail; die "npm could not install the packages; see $log for the complete output"; }
}

ensure_packages() {
  local started=$SECONDS
  rm -f "$stamp"
  install_packages
  node_runs || logged npm rebuild node --foreground-scripts || true
  node_runs || die "the npm package 'node' did not install a working Node at $pinned; see $log for the output"
  fingerprint >"$stamp"
  say "npm packages and Node $("$pinned" --version) are ready ($((SECONDS - started)) s)"
}

# Prints the package of the fonts without which Chinese and Japanese pages are empty boxes.
missing_fonts() {
  local fonts
  fonts="$(PATH="$server_path" fc-list :lang=ja family 2>/dev/null)" || true
  [ -n "$fonts" ] || echo fonts-noto-cjk
}

# Prints the package that Python needs for virtual environments; Debian packages it separately.
missing_venv() {
  PATH="$server_path" python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || echo python3-venv
}

# Prints the package of the library that Node's binary needs and a minimal Debian lacks.
missing_libatomic() {
  local lines
  lines="$(PATH="$server_path" ldconfig -p 2>/dev/null)" || return 0
  case "$lines" in *libatomic.so.1*) ;; *) echo libatomic1 ;; esac
}

# Prints the package of the mechanisms without which Postfix with SASL answers no client; Debian only recommends it.
missing_sasl_mechanisms() {
  local library
  for library in "${SETUP_SASL_MODULES:-/usr/lib}"/*/sasl2/libplain.so; do [ ! -e "$library" ] || return 0; done
  echo libsasl2-modules
}

# Prints the packages of the SAML service providers that are modules of Apache.
missing_apache_modules() {
  local modules="${SETUP_APACHE_MODULES:-/usr/lib/apache2/modules}"
  [ -e "$modules/mod_auth_mellon.so" ] || echo libapache2-mod-auth-mellon
  [ -e "$modules/mod_shib.so" ] || echo libapache2-mod-shib
  [ -e "${SETUP_SHARE:-/usr/share}/simplesamlphp/www" ] || printf "%s\n" simplesamlphp php-sqlite3 php-xml
}

# Prints the package of Dovecot's password database for LDAP, which is a module.
missing_dovecot_ldap() {
  [ -e "${SETUP_DOVECOT_MODULES:-/usr/lib/dovecot/modules}/auth/libauthdb_ldap.so" ] || echo dovecot-ldap
}

# Prints the packages of Roundcube with SQLite.
missing_roundcube() {
  [ -e "${SETUP_SHARE:-/usr/share}/roundcube/SQL/sqlite.initial.sql" ] || printf "%s\n" libapache2-mod-php php-curl php-sqlite3 roundcube-core roundcube-sqlite3
}

# Prints the missing system packages that contain no program.
missing_parts() {
  missing_libatomic
  case "$purpose" in
    screenshots) missing_fonts ;;
    bench-long) missing_dovecot_ldap ;;
    test) missing_sasl_mechanisms ;;
    test-long) missing_sasl_mechanisms; missing_venv; missing_apache_modules; missing_roundcube ;;
  esac
}

# Prints the system packages whose programs are missing.
missing_servers() {
  local wanted="redis-server:redis-server nats-server:nats-server"
  case "$purpose" in
    packages) wanted="" ;;
    run-one) wanted="redis-server:redis-server" ;;
    test | test-long)
      wanted="$wanted slapd:slapd ldapadd:ldap-utils nginx:nginx nginx:libnginx-mod-mail"
      wanted="$wanted haproxy:haproxy dovecot:dovecot-imapd dovecot:dovecot-auth-lua dovecot:lua-cjson chromium:chromium chromium-headless-shell:chromium-headless-shell"
      wanted="$wanted postfix:postfix swaks:swaks curl:curl python3:python3 promtool:prometheus debootstrap:debootstrap"
      wanted="$wanted xmllint:libxml2-utils xmllint:opensaml-schemas xmllint:xmltooling-schemas"
      wanted="$wanted pg_ctlcluster:postgresql mariadbd:mariadb-server-core my_print_defaults:mariadb-client-core"
      [ "$purpose" = test ] || wanted="$wanted xmlsec1:xmlsec1 go:golang-go mvn:maven javac:default-jdk-headless"
      ;;
    test-package) wanted="debootstrap:debootstrap systemd-nspawn:systemd-container lintian:lintian dpkg-deb:dpkg" ;;
    bench | bench-long)
      wanted="$wanted slapd:slapd ldapadd:ldap-utils wrk:wrk"
      [ "$purpose" = bench ] || wanted="$wanted dovecot:dovecot-imapd saslauthd:sasl2-bin"
      ;;
    screenshots) wanted="chromium-headless-shell:chromium-headless-shell fc-list:fontconfig" ;;
  esac
  local pair
  for pair in $wanted; do
    (PATH="$server_path"; command -v "${pair%%:*}") >/dev/null || echo "${pair##*:}"
  done | { cat; missing_parts; } | sort -u | tr '\n' ' ' | sed 's/ $//'
}

restore_policy() {
  if [ -e "$saved_policy" ] || [ -L "$saved_policy" ]; then
    mv -f "$saved_policy" "$policy"
  elif [ -f "$policy" ] && grep -qs '^# postern-setup$' "$policy"; then
    rm -f "$policy"
  fi
}

# One installation at a time on this machine: a lock on the folder itself leaves no file behind.
lock_policy() {
  exec 8<"$(dirname "$policy")"
  flock -w 900 8 || die "another installation has locked $(dirname "$policy")"
}

# Restores the policy after an installation that was killed before it could do so.
mend_policy() {
  [ -e "$saved_policy" ] || [ -L "$saved_policy" ] || grep -qs '^# postern-setup$' "$policy" || return 0
  [ -w "$(dirname "$policy")" ] || return 0
  lock_policy
  restore_policy
  exec 8<&-
}

# An existing policy-rc.d is moved away unchanged and restored in every case.
forbid_service_starts() {
  lock_policy
  trap restore_policy EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  restore_policy
  if [ -e "$policy" ] || [ -L "$policy" ]; then mv "$policy" "$saved_policy"; fi
  printf '#!/bin/sh\n# postern-setup\nexit 101\n' >"$policy"
  chmod 755 "$policy"
}

install_servers() {
  local packages="$1" started=$SECONDS apt=(apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
  say "installing $packages, without starting services ..."
  forbid_service_starts
  export DEBIAN_FRONTEND=noninteractive
  # If a mirror is unreachable, the existing package lists may suffice, so the installation is tried anyway.
  logged "${apt[@]}" update || { sleep "${SETUP_RETRY_SECONDS:-5}"; logged "${apt[@]}" update; } || say "apt-get update failed; trying with the existing package lists"
  # shellcheck disable=SC2086
  logged "${apt[@]}" install --no-install-recommends $packages || { show_tail; die "apt-get could not install $packages; see $log for the complete output"; }
  restore_policy
  trap - EXIT INT TERM HUP
  exec 8<&-
  say "servers are ready ($((SECONDS - started)) s)"
}

ensure_servers() {
  local packages="$1"
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    die "root access and apt-get are needed to install $packages; install them yourself (on Debian: apt-get install --no-install-recommends $packages)"
  fi
  install_servers "$packages"
}

main() {
  case "$purpose" in packages | run | run-one | test | test-long | test-package | bench | bench-long | screenshots) ;; *) die "usage: tools/setup.sh packages|run|run-one|test|test-long|test-package|bench|bench-long|screenshots [--dry-run]" ;; esac
  local missing
  missing="$(missing_servers)"
  if [ "$option" = --dry-run ]; then
    packages_ready || say "would install npm packages"
    [ -z "$missing" ] || say "would install system packages: $missing"
    return 0
  fi
  mend_policy
  if [ -z "$missing" ] && packages_ready; then return 0; fi
  packages_ready || command -v npm >/dev/null ||
    die "npm is missing: install Node.js 18 or newer with npm (on Debian: apt-get install --no-install-recommends nodejs npm)"

  mkdir -p .run
  exec 9>.run/setup.lock
  flock -n 9 || { say "waiting for another set-up ..."; flock -w 900 9 || die "another set-up has locked .run/setup.lock"; }
  date >"$log"
  if [ -n "$missing" ]; then missing="$(missing_servers)"; fi
  if [ -n "$missing" ]; then ensure_servers "$missing"; fi
  if ! packages_ready; then ensure_packages; fi
}

main
