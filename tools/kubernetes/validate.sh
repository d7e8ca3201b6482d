#!/usr/bin/env bash
# Renders every overlay and each optional component, and validates the result against the schemas of three versions of Kubernetes.
# Usage: tools/kubernetes/validate.sh [VERSION…]. Needs kubectl (or kustomize) and python3; the schemas come with kubernetes-validate from PyPI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly out=.run/kubernetes environment=.run/kubernetes-validate package=kubernetes-validate==1.37.0
versions=("$@")
[ "${#versions[@]}" -gt 0 ] || versions=(1.35.0 1.36.0 1.37.0)

render() {
  if command -v kustomize >/dev/null; then kustomize build "$1"; else kubectl kustomize "$1"; fi
}

# Custom resources, whose schemas are not part of Kubernetes.
without_custom_resources() {
  awk -v RS='---\n' -v ORS='---\n' '!/(^|\n)apiVersion: (gateway\.networking\.k8s\.io|monitoring\.coreos\.com)\//' "$1"
}

if [ ! -x "$environment/bin/kubernetes-validate" ]; then
  python3 -m venv "$environment"
  "$environment/bin/pip" --quiet --disable-pip-version-check install "$package"
fi
rm -rf "$out"
mkdir -p "$out/every-component"
cat >"$out/every-component/kustomization.yaml" <<'KUSTOMIZATION'
resources: [../../../k8s/overlays/production-stores]
components:
  - ../../../k8s/components/gateway-api
  - ../../../k8s/components/monitoring
  - ../../../k8s/components/autoscale-in-flight
  - ../../../k8s/components/site-ca
KUSTOMIZATION
for folder in k8s/base k8s/overlays/dev k8s/overlays/production k8s/overlays/production-stores "$out/every-component"; do
  name="$(basename "$folder")"
  render "$folder" >"$out/$name.yaml"
  without_custom_resources "$out/$name.yaml" >"$out/$name.builtin.yaml"
  for version in "${versions[@]}"; do
    "$environment/bin/kubernetes-validate" --strict --kubernetes-version "$version" "$out/$name.builtin.yaml" >"$out/$name.log" 2>&1 ||
      { grep -v '^INFO' "$out/$name.log"; echo "$folder does not fit Kubernetes $version"; exit 1; }
    echo "$folder: $(grep -c '^INFO' "$out/$name.log") resources fit Kubernetes $version"
  done
done
