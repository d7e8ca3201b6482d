#!/usr/bin/env bash
# Renders every overlay and each optional component, and validates the result against the schemas of three versions of Kubernetes, and the
# custom resources against those of the Gateway API and the Prometheus Operator.
# Usage: tools/kubernetes/validate.sh [VERSION…]. Needs kubectl (or kustomize), python3 and Go; the schemas come with kubernetes-validate from
# PyPI, and with Go modules.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly out=.run/kubernetes environment=.run/kubernetes-validate package=kubernetes-validate==1.37.0
readonly gateway_api=sigs.k8s.io/gateway-api@v1.6.3 operator=github.com/prometheus-operator/prometheus-operator@v0.85.0
versions=("$@")
[ "${#versions[@]}" -gt 0 ] || versions=(1.35.0 1.36.0 1.37.0)

render() {
  if command -v kustomize >/dev/null; then kustomize build "$1"; else kubectl kustomize "$1"; fi
}

# Custom resources, whose schemas are not part of Kubernetes.
without_custom_resources() {
  awk -v RS='---\n' -v ORS='---\n' '!/(^|\n)apiVersion: (gateway\.networking\.k8s\.io|monitoring\.coreos\.com)\//' "$1"
}

module_folder() { go mod download -json "$1" | sed -n 's/^\s*"Dir": "\(.*\)",$/\1/p'; }

# How far it is, and how long the rest may take at the pace so far.
steps=$((5 * (${#versions[@]} + 1))) ended=0
progress() {
  ended=$((ended + 1))
  printf '%d of %d, about %d s left: ' "$ended" "$steps" "$((SECONDS * (steps - ended) / ended))"
}

if [ ! -x "$environment/bin/kubernetes-validate" ]; then
  echo "installing $package"
  python3 -m venv "$environment"
  "$environment/bin/pip" --quiet --disable-pip-version-check install "$package"
fi
rm -rf "$out"
mkdir -p "$out/every-component"
cat >"$out/every-component/kustomization.yaml" <<'KUSTOMIZATION'
namespace: postern
resources: [../../../k8s/overlays/production-stores]
components:
  - ../../../k8s/components/gateway-api
  - ../../../k8s/components/monitoring
  - ../../../k8s/components/autoscale-in-flight
  - ../../../k8s/components/site-ca
KUSTOMIZATION
echo "reading the definitions of custom resources"
gateways="$(module_folder "$gateway_api")"
monitors="$(module_folder "$operator")"
definitions=("$gateways"/config/crd/standard/gateway.networking.k8s.io_*.yaml
  "$monitors"/example/prometheus-operator-crd/monitoring.coreos.com_*.yaml)
for folder in k8s/base k8s/overlays/dev k8s/overlays/production k8s/overlays/production-stores "$out/every-component"; do
  name="$(basename "$folder")"
  render "$folder" >"$out/$name.yaml"
  without_custom_resources "$out/$name.yaml" >"$out/$name.builtin.yaml"
  for version in "${versions[@]}"; do
    "$environment/bin/kubernetes-validate" --strict --kubernetes-version "$version" "$out/$name.builtin.yaml" >"$out/$name.log" 2>&1 ||
      { grep -v '^INFO' "$out/$name.log"; echo "$folder does not fit Kubernetes $version"; exit 1; }
    progress
    echo "$folder: $(grep -c '^INFO' "$out/$name.log") resources fit Kubernetes $version"
  done
  custom="$("$environment/bin/python3" tools/kubernetes/validate-custom.py "$out/$name.yaml" "${definitions[@]}")"
  expected="$(grep -cE '^apiVersion: (gateway.networking.k8s.io|monitoring.coreos.com)/' "$out/$name.yaml" || true)"
  [ "$custom" = "$expected" ] || { echo "$folder: $custom of $expected custom resources were validated"; exit 1; }
  progress
  echo "$folder: $custom custom resources fit ${gateway_api#*/} and ${operator##*/}"
done
