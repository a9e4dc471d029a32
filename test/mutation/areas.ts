export interface Area {
  /** What is changed; tests and fixtures beside it are not. */
  readonly files: readonly string[]
  /** What has to notice. */
  readonly tests: readonly string[]
  /** So many simulations of consensus have to notice too. */
  readonly simulations?: number
}

const BFT_TESTS = ['src/consensus/bft/**/*.test.ts', 'src/consensus/create-header-rules.test.ts']

/** Code on which safety and access rest. */
export const AREAS: Readonly<Record<string, Area>> = {
  auth: { files: ['src/rpc/auth/*.ts'], tests: ['src/rpc/auth/*.test.ts'] },
  allowlist: {
    files: ['src/allowlist/*.ts', 'src/platform/files/edited-file.ts'],
    tests: ['src/allowlist/*.test.ts', 'src/platform/files/edited-file.test.ts'],
  },
  votes: {
    files: [
      'src/consensus/votes-file.ts',
      'src/consensus/votes-frames.ts',
      'src/consensus/votes-record.ts',
      'src/platform/files/append-file.ts',
      'src/platform/files/sync-directory.ts',
    ],
    tests: ['src/consensus/votes-*.test.ts', 'src/platform/files/append-file.test.ts'],
  },
  'bft-rules': {
    files: ['src/consensus/bft/*.ts', 'src/consensus/{qbft,ibft2}/{,core/}*.ts'],
    tests: BFT_TESTS,
    simulations: 12,
  },
  'bft-core': { files: ['src/consensus/bft/core/*.ts'], tests: BFT_TESTS, simulations: 12 },
  'bft-wire': { files: ['src/consensus/{bft,qbft,ibft2}/wire/*.ts'], tests: BFT_TESTS },
  commit: {
    files: [
      'src/store/commit.ts',
      'src/store/unwind.ts',
      'src/store/writer.ts',
      'src/store/state/history.ts',
    ],
    tests: [
      'src/store/commit-overlap.test.ts',
      'src/store/repair.test.ts',
      'src/store/store.test.ts',
      'src/store/traced-blocks.test.ts',
      'src/store/writer.test.ts',
      'src/store/state/history.test.ts',
      'src/store/state/past-tries.test.ts',
    ],
  },
}
