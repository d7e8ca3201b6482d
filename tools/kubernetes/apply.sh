#!/usr/bin/env bash
# Applies every overlay, with all optional components, to a real kube-apiserver with etcd on loopback, and has each pod admitted by it. Both
# servers are built from their Go modules, which takes a quarter of an hour the first time. There are no nodes: no pod runs.
# Usage: tools/kubernetes/apply.sh [VERSION], such as 1.37.2. Needs Go, kubectl, curl, openssl and the Go module proxy.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly version="${1:-1.37.2}" proxy="${GOPROXY_ADDRESS:-https://proxy.golang.org}"
readonly gateway_api=sigs.k8s.io/gateway-api@v1.6.3 operator=github.com/prometheus-operator/prometheus-operator@v0.85.0
readonly build="$PWD/.run/apiserver/$version" port="${PORT:-16443}" etcd_port="${ETCD_PORT:-12379}"

say() { echo "apply: $*"; }

# Staging modules of Kubernetes are published as v0.MINOR.PATCH.
build_servers() {
  [ ! -x "$build/bin/kube-apiserver" ] || return 0
  mkdir -p "$build"
  cd "$build"
  curl -fsS "$proxy/k8s.io/kubernetes/@v/v$version.mod" -o kubernetes.mod
  local etcd
  etcd="$(sed -n 's#^\s*go.etcd.io/etcd/client/v3 \(v[0-9.]*\).*#\1#p' kubernetes.mod)"
  {
    printf 'module apply\n\n%s\n\nrequire k8s.io/kubernetes v%s\nrequire go.etcd.io/etcd/server/v3 %s\n' \
      "$(grep '^go ' kubernetes.mod)" "$version" "$etcd"
    sed -n "s#^\s*\(k8s.io/[^ ]*\) => ./staging.*#replace \1 => \1 v0.${version#1.}#p" kubernetes.mod
  } >go.mod
  echo 'package apply' >apply.go
  say "building kube-apiserver $version and etcd $etcd ..."
  local flags="-s -w -X k8s.io/component-base/version.gitVersion=v$version -X k8s.io/component-base/version.gitMajor=1"
  flags="$flags -X k8s.io/component-base/version.gitMinor=$(cut -d . -f 2 <<<"$version")"
  mkdir -p bin.new
  CGO_ENABLED=0 go build -mod=mod -trimpath -ldflags "$flags" -o bin.new/ go.etcd.io/etcd/server/v3 k8s.io/kubernetes/cmd/kube-apiserver
  mv bin.new/server bin.new/etcd 2>/dev/null || mv bin.new/v3 bin.new/etcd
  mv bin.new bin
  cd - >/dev/null
}

module_folder() { (cd "$build" && go mod download -json "$1") | sed -n 's/^\s*"Dir": "\(.*\)",$/\1/p'; }

# A kube-apiserver without its etcd does not end by SIGTERM.
stop_servers() {
  [ "${#pids[@]}" -eq 0 ] || kill -KILL "${pids[@]}" 2>/dev/null || true
  { wait; } 2>/dev/null
  pids=()
}

# A cluster without anything in it, as the user `admin`.
start_servers() {
  local data="$build/data"
  rm -rf "$data" && mkdir -p "$data"
  openssl genrsa -out "$data/accounts.key" 2048 2>/dev/null
  echo 'token-of-the-test,admin,1,system:masters' >"$data/tokens.csv"
  "$build/bin/etcd" --data-dir "$data/etcd" --listen-client-urls "http://127.0.0.1:$etcd_port" \
    --advertise-client-urls "http://127.0.0.1:$etcd_port" --listen-peer-urls "http://127.0.0.1:$((etcd_port + 1))" >"$data/etcd.log" 2>&1 &
  pids+=($!)
  "$build/bin/kube-apiserver" --etcd-servers "http://127.0.0.1:$etcd_port" --bind-address 127.0.0.1 --secure-port "$port" \
    --cert-dir "$data/certificates" --token-auth-file "$data/tokens.csv" --authorization-mode RBAC \
    --service-account-issuer https://kubernetes.default.svc --service-account-signing-key-file "$data/accounts.key" \
    --service-account-key-file "$data/accounts.key" --service-cluster-ip-range 10.0.0.0/24 >"$data/apiserver.log" 2>&1 &
  pids+=($!)
  local tries=0
  until k get --raw /readyz >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 240 ] && kill -0 "${pids[-1]}" || { tail -n 20 "$data/apiserver.log"; exit 1; }
    sleep 0.5
  done
}

k() { kubectl --server "https://127.0.0.1:$port" --insecure-skip-tls-verify --token token-of-the-test --kubeconfig /dev/null "$@"; }

# Pods as the controllers of Deployments and StatefulSets would create them.
pods_of() {
  # shellcheck disable=SC2016
  k get deployments,statefulsets --namespace "$1" -o json | node_modules/.bin/node -e '
    const { items } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    const pods = items.map(({ metadata: { name, namespace }, spec: { template, volumeClaimTemplates = [] } }) => ({
      apiVersion: "v1", kind: "Pod", metadata: { ...template.metadata, name: `${name}-test`, namespace },
      spec: { ...template.spec, volumes: [...(template.spec.volumes ?? []),
        ...volumeClaimTemplates.map(({ metadata }) => ({ name: metadata.name, persistentVolumeClaim: { claimName: metadata.name } }))] } }));
    console.log(JSON.stringify({ apiVersion: "v1", kind: "List", items: pods }));'
}

apply_rendered() {
  k apply --validate=strict --warnings-as-errors -f "$build/rendered.yaml" >>"$1" 2>&1 || { tail -n 20 "$1"; exit 1; }
}

# Without the version: kubectl writes label selectors and lists of custom resources again, although they are the same.
resources() { k get -f "$build/rendered.yaml" --output yaml | grep -v '^ *resourceVersion: '; }

check() {
  local folder="$1" out="$build/$(basename "$1").log"
  start_servers
  : >"$out"
  for definition in "$(module_folder "$gateway_api")"/config/crd/standard/gateway.networking.k8s.io_*.yaml; do
    k apply --server-side -f "$definition" >>"$out" 2>&1
  done
  k apply --server-side -f "$(module_folder "$operator")/example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml" >>"$out" 2>&1
  k wait --for condition=Established crd --all --timeout 60s >>"$out" 2>&1
  k create namespace postern >>"$out" 2>&1
  k create serviceaccount default --namespace postern >>"$out" 2>&1
  k apply -f k8s/secrets.example.yaml >>"$out" 2>&1
  kubectl kustomize "$folder" >"$build/rendered.yaml"
  # Twice: the second time must change nothing. Field validation is strict, and warnings are errors.
  apply_rendered "$out"
  resources >"$build/first"
  apply_rendered "$out"
  resources >"$build/second"
  diff "$build/first" "$build/second" || { say "$folder: a second application changes something"; exit 1; }
  pods_of postern | k create --dry-run=server --validate=strict -f - >"$build/pods" 2>>"$out" || { tail -n 20 "$out"; exit 1; }
  # What the resources and the pods passed refuses others.
  ! sed 's/^  maxUnavailable:/  maxUnavailables:/' "$build/rendered.yaml" | k apply --dry-run=server --validate=strict -f - >/dev/null 2>&1 ||
    { say "an unknown key is accepted"; exit 1; }
  ! k run planted --namespace postern --image postern:1.0.0 --dry-run=server >/dev/null 2>&1 || { say "a pod that may be root is admitted"; exit 1; }
  say "$folder: Kubernetes $version accepts $(grep -c "^kind: " "$build/rendered.yaml") resources and admits $(wc -l <"$build/pods") pods under the policy restricted"
  stop_servers
}

pids=()
trap stop_servers EXIT
build_servers
rm -rf "$build/every-component" && mkdir -p "$build/every-component"
cat >"$build/every-component/kustomization.yaml" <<'KUSTOMIZATION'
namespace: postern
resources: [../../../../k8s/overlays/production-stores]
components:
  - ../../../../k8s/components/gateway-api
  - ../../../../k8s/components/monitoring
  - ../../../../k8s/components/autoscale-in-flight
  - ../../../../k8s/components/site-ca
KUSTOMIZATION
for folder in k8s/overlays/dev k8s/overlays/production k8s/overlays/production-stores "$build/every-component"; do check "$folder"; done
