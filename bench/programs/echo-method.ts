/** The bus method of the skeleton; it echoes bytes. */
export const echo = { service: "echo", name: "echo", major: 1 } as const;
