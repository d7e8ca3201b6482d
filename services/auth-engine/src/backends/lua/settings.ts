export interface LuaBackendSettings {
  readonly name: string;
  readonly script: string;
  /** Protocols that the backend serves; an empty list or `*` means all. */
  readonly protocols: readonly string[];
  readonly timeoutMs: number;
  /** Whether the script stores second factors and app passwords. */
  readonly keepsMfa: boolean;
}
