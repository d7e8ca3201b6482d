import text from "./auth.proto?raw";

/** The definition of `AuthService`, with `runtime.naming.identifier` in the package (ADR 0021). */
export function authProtocol(identifier: string): { readonly text: string; readonly serviceName: string } {
  const authPackage = `${identifier}.auth.v1`;
  return {
    text: text.replace(/^package service\.auth\.v1;$/m, `package ${authPackage};`),
    serviceName: `${authPackage}.AuthService`,
  };
}
