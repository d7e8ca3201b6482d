#!/usr/bin/env bash
# Validates SBOMs by the JSON schema of CycloneDX 1.6. Usage: tools/release/validate-sbom.sh FILE…. Needs npm's registry the first time.
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: tools/release/validate-sbom.sh FILE…" >&2; exit 2; }
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
readonly root folder="$root/.run/sbom-validate"
readonly packages="@cyclonedx/cyclonedx-library@10.3.0 ajv@8.20.0 ajv-formats@3.0.1 ajv-formats-draft2019@1.6.1"

if [ "$(cat "$folder/done" 2>/dev/null)" != "$packages" ]; then
  rm -rf "$folder" && mkdir -p "$folder"
  echo '{ "private": true }' >"$folder/package.json"
  # shellcheck disable=SC2086 -- a list
  npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --no-save --loglevel=error $packages
  echo "$packages" >"$folder/done"
fi
cat >"$folder/validate.mjs" <<'JAVASCRIPT'
import { readFileSync } from "node:fs";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";

const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
for (const file of process.argv.slice(2)) {
  const problem = await validator.validate(readFileSync(file, "utf8"));
  if (problem === null) {
    console.log(`${file}: valid by the schema of CycloneDX 1.6`);
  } else {
    console.error(`${file}: not valid by the schema of CycloneDX 1.6`, problem);
    process.exitCode = 1;
  }
}
JAVASCRIPT
files=()
for file in "$@"; do files+=("$(realpath "$file")"); done
"$root/node_modules/.bin/node" "$folder/validate.mjs" "${files[@]}"
