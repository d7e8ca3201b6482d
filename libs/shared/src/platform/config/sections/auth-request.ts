import { section, text } from "./fields.ts";

const header = (name: string, what: string) =>
  text(`Name of the header with ${what}. If empty, no header is read.`, { default: name, form: "header-name" });

/** Names of the request headers of the header, basic and proxy dialects. */
export const RequestHeaders = section("Names of the request headers in the header, basic and proxy dialects.", {
  username: header("Auth-User", "the user name"),
  password: header("Auth-Pass", "the password"),
  password_encoded: header("Auth-Password-Encoded", "the value 1 if the password is Base64-encoded"),
  protocol: header("Auth-Protocol", "the protocol"),
  auth_method: header("Auth-Method", "the authentication method"),
  login_attempt: header("Auth-Login-Attempt", "the number of the login attempt"),
  client_ip: header("Client-IP", "the client address"),
  client_port: header("X-Client-Port", "the port of the client"),
  client_host: header("X-Client-Host", "the host name of the client"),
  client_id: header("X-Client-Id", "the name and version of the mail client"),
  external_session_id: header("X-External-Session-Id", "the session ID of the API caller"),
  local_ip: header("X-Local-IP", "the mail server's address"),
  local_port: header("X-Auth-Port", "the mail server's port"),
  ssl: header("Auth-SSL", "any value if the mail client uses TLS"),
  ssl_session_id: header("Auth-SSL-Session-ID", "the TLS session ID"),
  ssl_verify: header("Auth-SSL-Verify", "the result of the certificate check"),
  ssl_subject: header("Auth-SSL-Subject", "the certificate's subject"),
  ssl_client_cn: header("Auth-SSL-Client-CN", "the certificate's common name"),
  ssl_issuer: header("Auth-SSL-Issuer", "the certificate's issuer"),
  ssl_client_not_before: header("Auth-SSL-Client-Not-Before", "the start of the certificate's validity"),
  ssl_client_not_after: header("Auth-SSL-Client-Not-After", "the end of the certificate's validity"),
  ssl_subject_dn: header("Auth-SSL-Subject-DN", "the subject's DN"),
  ssl_issuer_dn: header("Auth-SSL-Issuer-DN", "the issuer's DN"),
  ssl_client_subject_dn: header("Auth-SSL-Client-Subject-DN", "the client certificate's subject DN"),
  ssl_client_issuer_dn: header("Auth-SSL-Client-Issuer-DN", "the client certificate's issuer DN"),
  ssl_cipher: header("Auth-SSL-Cipher", "the cipher"),
  ssl_protocol: header("Auth-SSL-Protocol", "the TLS version"),
  ssl_serial: header("Auth-SSL-Serial", "the certificate's serial number"),
  ssl_fingerprint: header("Auth-SSL-Fingerprint", "the certificate's fingerprint"),
  oidc_cid: header("X-OIDC-CID", "the OIDC client ID"),
});
