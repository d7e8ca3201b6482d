import type { GuideStep } from "./guide-commands.ts";

const end = "END_OF_TEXT";

const quoted = (text: string): string => `"$(cat <<'${end}'\n${text}\n${end}\n)"`;

function lineOf(step: GuideStep): string {
  if (step.kind === "command") return `run ${quoted(step.command)}`;
  return `printf '%s\\n' ${quoted(step.content.trimEnd())} >${step.path}\nsay ${quoted(`(the file ${step.path})`)}`;
}

/** A program of bash that runs the steps in one shell, as in a terminal, and stops at the first failure. */
export function stepsScript(steps: readonly GuideStep[], address: string): string {
  return `# Only the network is set up beside the guide.
ip link set host0 up && ip address add ${address}/24 dev host0
readonly began=$EPOCHREALTIME
since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'; }
say() { printf '[%6s s] %s\\n' "$(since "$began")" "$1"; }
run() {
  local begin=$EPOCHREALTIME
  say "# $1"
  # The answer to apt's question; other commands ask none.
  eval "$1" <<<y || { echo "FAILED with $?"; journalctl --no-pager -n 60; exit 1; }
  printf '           (%s s)\\n' "$(since "$begin")"
}
. /etc/os-release; echo "$PRETTY_NAME $(cat /etc/debian_version), $(dpkg-query -W | wc -l) packages"
${steps.map(lineOf).join("\n")}
grep -q '^a OK .*Logged in' /first-day/log && grep -q 'LIST .*INBOX' /first-day/log || { journalctl --no-pager -n 60; exit 1; }
say "signed in"
dpkg-query -W -f '\${Package} \${Version}\\n' postern redis-server dovecot-core systemd
echo 'all commands succeeded'
`;
}
