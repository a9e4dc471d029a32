export interface Area {
  /** What is changed. */
  readonly files: readonly string[]
  /** What has to notice. */
  readonly tests: readonly string[]
}

/** Code on which safety and access rest. */
export const AREAS: Readonly<Record<string, Area>> = {
  auth: {
    files: ['src/rpc/auth/*.ts', '!src/rpc/auth/*.test.ts', '!src/rpc/auth/*.fixture.ts'],
    tests: ['src/rpc/auth/*.test.ts'],
  },
  allowlist: {
    files: ['src/allowlist/*.ts', '!src/allowlist/*.test.ts', 'src/platform/files/edited-file.ts'],
    tests: ['src/allowlist/*.test.ts', 'src/platform/files/edited-file.test.ts'],
  },
  votes: {
    files: [
      'src/consensus/votes-file.ts',
      'src/consensus/votes-record.ts',
      'src/consensus/bft/record-vote.ts',
      'src/consensus/bft/core/signing-desk.ts',
      'src/platform/files/append-file.ts',
    ],
    tests: [
      'src/consensus/votes-file.test.ts',
      'src/consensus/bft/record-vote.test.ts',
      'src/consensus/bft/core/*.test.ts',
      'src/platform/files/append-file.test.ts',
    ],
  },
  bft: {
    files: ['src/consensus/bft/**/*.ts', '!**/*.test.ts', '!**/*.fixture.ts'],
    tests: ['src/consensus/bft/**/*.test.ts', 'src/consensus/create-header-rules.test.ts'],
  },
  commit: {
    files: [
      'src/store/commit.ts',
      'src/store/unwind.ts',
      'src/store/writer.ts',
      'src/store/state/history.ts',
    ],
    tests: ['src/store/store.test.ts', 'src/store/state/history.test.ts', 'src/store/repair.test.ts'],
  },
}
