export { parsedCredential, part, readCredential, type StoredCredential } from "./stored-credential.ts";
