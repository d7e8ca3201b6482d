import type { Config } from "./schema/root.ts";

/** A certificate file of Postern, under the key that names it. */
export interface CertificateFile {
  readonly key: string;
  readonly file: string;
}

/** The certificates that Postern itself presents. */
export function certificateFiles({ runtime, storage, auth }: Config): readonly CertificateFile[] {
  const { http, grpc } = runtime.servers;
  const { roles } = storage.redis;
  const { default: ldap, pools } = auth.backends.ldap;
  const all: CertificateFile[] = [
    ...(http.tls.enabled ? [{ key: "runtime.servers.http.tls.cert", file: http.tls.cert }] : []),
    ...(grpc.authority.enabled
      ? [{ key: "runtime.servers.grpc.authority.tls.cert", file: grpc.authority.tls.cert }]
      : []),
    { key: "runtime.bus.tls.cert", file: runtime.bus.tls.cert },
    ...(["state", "queue", "cache"] as const).map((role) => ({
      key: `storage.redis.roles.${role}.tls.cert`,
      file: roles[role].tls.cert,
    })),
    { key: "auth.backends.ldap.default.tls_client_cert", file: ldap.tls_client_cert },
    ...Object.entries(pools).map(([name, pool]) => ({
      key: `auth.backends.ldap.pools.${name}.tls_client_cert`,
      file: pool.tls_client_cert,
    })),
  ];
  return all.filter(({ file }, index) => file !== "" && all.findIndex((one) => one.file === file) === index);
}
