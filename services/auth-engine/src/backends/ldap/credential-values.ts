import { AppError } from "@postern/shared/platform/errors";
import { Attribute, Change, ResultCodeError, type SearchOptions } from "ldapts";
import type { BackendContext } from "../backend.ts";
import { backendUnavailable } from "../servers/errors.ts";
import { findValues } from "./attributes.ts";
import type { LdapConnection } from "./client.ts";
import type { LdapPool } from "./ldap-pool.ts";
import type { LdapCredentialPlace } from "./ldap-settings.ts";

/** RFC 4511 appendix A. */
const noSuchAttribute = 16;
const typeOrValueExists = 20;
/** The use of an app password is written once an hour. */
const removalAttempts = 4;

const hasCode = (error: unknown, code: number): boolean => error instanceof ResultCodeError && error.code === code;

const changeOf = (operation: "add" | "delete" | "replace", type: string, values: readonly string[]): Change =>
  new Change({ operation, modification: new Attribute({ type, values: [...values] }) });

/** Reads on the same connection as the following change. */
async function readEntry(connection: LdapConnection, dn: string, attributes: string[]) {
  const { searchEntries } = await connection.search(dn, { scope: "base", attributes, sizeLimit: 1 });
  return searchEntries[0] ?? { dn };
}

async function storedValues(connection: LdapConnection, dn: string, field: string): Promise<readonly string[]> {
  return findValues(await readEntry(connection, dn, [field]), field);
}

/** The change, with the object class if the entry lacks it; another process may add it at the same moment. */
async function write(
  connection: LdapConnection,
  dn: string,
  { place, change }: { readonly place: LdapCredentialPlace; readonly change: Change },
): Promise<void> {
  const { objectClass } = place;
  const classes = objectClass === "" ? [] : findValues(await readEntry(connection, dn, ["objectClass"]), "objectClass");
  const isAllowed = objectClass === "" || classes.some((own) => own.toLowerCase() === objectClass.toLowerCase());
  if (isAllowed) return connection.modify(dn, [change]);
  try {
    return await connection.modify(dn, [changeOf("add", "objectClass", [objectClass]), change]);
  } catch (error) {
    if (!hasCode(error, typeOrValueExists)) throw error;
    return connection.modify(dn, [change]);
  }
}

async function removeMatching(
  connection: LdapConnection,
  dn: string,
  { field, matches }: { readonly field: string; readonly matches: (value: string) => boolean },
): Promise<boolean> {
  for (let attempt = 0; attempt < removalAttempts; attempt += 1) {
    const found = (await storedValues(connection, dn, field)).filter(matches);
    if (found.length === 0) return false;
    try {
      await connection.modify(dn, [changeOf("delete", field, found)]);
      return true;
    } catch (error) {
      // Another process has changed one of them in between.
      if (!hasCode(error, noSuchAttribute)) throw error;
    }
  }
  throw new AppError("DIRECTORY_UNAVAILABLE", { detail: `${field} changed during each attempt to remove a value` });
}

/** The attribute's matching rule may ignore case, so the text is compared first; the server then decides who was first. */
async function changeStored(
  connection: LdapConnection,
  dn: string,
  { field, old, changes }: { readonly field: string; readonly old: string; readonly changes: Change[] },
): Promise<boolean> {
  if (!(await storedValues(connection, dn, field)).includes(old)) return false;
  try {
    await connection.modify(dn, changes);
    return true;
  } catch (error) {
    if (hasCode(error, noSuchAttribute)) return false;
    throw error;
  }
}

/**
 * The values of one attribute of one entry. Reads use the lookup pool, as sign-ins do: behind several servers they may
 * be as old as the replica. Changes go to the server that all processes write to (see `createWriter`).
 */
export function createCredentialValues(pool: LdapPool, dn: string, place: LdapCredentialPlace) {
  const { field } = place;
  const doing = `second factors in LDAP pool ${pool.name}`;

  const run = async <T>(work: (connection: LdapConnection) => Promise<T>, context: BackendContext): Promise<T> => {
    try {
      return await pool.writer.run(work, context);
    } catch (error) {
      throw backendUnavailable(doing, error);
    }
  };

  const change = (old: string, changes: Change[], context: BackendContext): Promise<boolean> =>
    run((connection) => changeStored(connection, dn, { field, old, changes }), context);

  return {
    read: async (context: BackendContext): Promise<readonly string[]> => {
      const options: SearchOptions = { scope: "base", attributes: [field], sizeLimit: 1 };
      return (await pool.lookup.entries(doing, dn, options, context)).flatMap((entry) => findValues(entry, field));
    },
    /** An empty list deletes them. */
    replace: (values: readonly string[], context: BackendContext): Promise<void> =>
      run(async (connection) => {
        const replacement = changeOf("replace", field, values);
        if (values.length === 0) return connection.modify(dn, [replacement]);
        return write(connection, dn, { place, change: replacement });
      }, context),
    add: (value: string, context: BackendContext): Promise<void> =>
      run(async (connection) => {
        try {
          await write(connection, dn, { place, change: changeOf("add", field, [value]) });
        } catch (error) {
          // The value exists already.
          if (!hasCode(error, typeOrValueExists)) throw error;
        }
      }, context),
    /** False if it did not exist; of simultaneous callers, one gets true. */
    remove: (value: string, context: BackendContext): Promise<boolean> =>
      change(value, [changeOf("delete", field, [value])], context),
    /**
     * Deletes the values that match, as the server that is written to has them, even while another process exchanges
     * one. False if there are none.
     */
    removeMatching: (matches: (value: string) => boolean, context: BackendContext): Promise<boolean> =>
      run((connection) => removeMatching(connection, dn, { field, matches }), context),
    /** Removes the old value and adds the new one in the same change; the answer is that of `remove`. */
    exchange: (old: string, value: string, context: BackendContext): Promise<boolean> =>
      change(old, [changeOf("delete", field, [old]), changeOf("add", field, [value])], context),
  };
}

export type CredentialValues = ReturnType<typeof createCredentialValues>;
