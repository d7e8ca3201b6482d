import { section, text } from "./fields.ts";

const header = (name: string, what: string) =>
  text(name, { description: `Header that carries ${what}; empty reads none.`, form: "header-name" });

/** Names of the request headers of header-style endpoints; the defaults are the contract's. */
export const RequestHeaders = section("Names of request headers.", {
  username: header("Auth-User", "the user name"),
  password: header("Auth-Pass", "the password"),
  password_encoded: header("Auth-Password-Encoded", "1 when the password is Base64"),
  protocol: header("Auth-Protocol", "the protocol"),
  auth_method: header("Auth-Method", "the authentication method"),
  login_attempt: header("Auth-Login-Attempt", "the login attempt"),
  client_ip: header("Client-IP", "the client's address"),
  client_port: header("X-Client-Port", "the client's port"),
  client_host: header("X-Client-Host", "the client's host name"),
  client_id: header("X-Client-Id", "the client's identification"),
  external_session_id: header("X-External-Session-Id", "the caller's own session id"),
  local_ip: header("X-Local-IP", "the mail server's address"),
  local_port: header("X-Auth-Port", "the mail server's port"),
  ssl: header("Auth-SSL", "any text when the client uses TLS"),
  ssl_session_id: header("Auth-SSL-Session-ID", "the TLS session id"),
  ssl_verify: header("Auth-SSL-Verify", "the result of the certificate check"),
  ssl_subject: header("Auth-SSL-Subject", "the certificate's subject"),
  ssl_client_cn: header("Auth-SSL-Client-CN", "the certificate's common name"),
  ssl_issuer: header("Auth-SSL-Issuer", "the certificate's issuer"),
  ssl_client_not_before: header("Auth-SSL-Client-Not-Before", "the begin of the certificate's validity"),
  ssl_client_not_after: header("Auth-SSL-Client-Not-After", "the end of the certificate's validity"),
  ssl_subject_dn: header("Auth-SSL-Subject-DN", "the subject's DN"),
  ssl_issuer_dn: header("Auth-SSL-Issuer-DN", "the issuer's DN"),
  ssl_client_subject_dn: header("Auth-SSL-Client-Subject-DN", "the client certificate's subject DN"),
  ssl_client_issuer_dn: header("Auth-SSL-Client-Issuer-DN", "the client certificate's issuer DN"),
  ssl_cipher: header("Auth-SSL-Cipher", "the cipher"),
  ssl_protocol: header("Auth-SSL-Protocol", "the TLS version"),
  ssl_serial: header("Auth-SSL-Serial", "the certificate's serial number"),
  ssl_fingerprint: header("Auth-SSL-Fingerprint", "the certificate's fingerprint"),
  oidc_cid: header("X-OIDC-CID", "the OIDC client id"),
});
