/** Where facts are. Both reject while Redis is unavailable. */
export interface RiskStore {
  readonly read: (key: string) => Promise<string | undefined>;
  /** Undefined if the value was replaced; otherwise the present one, empty if there is none. */
  readonly replace: (key: string, values: Replacement) => Promise<string | undefined>;
}

export interface Replacement {
  /** Empty if there was no value. */
  readonly expected: string;
  readonly replacement: string;
  readonly lifeSeconds: number;
}
