export interface Area {
  /** The files to change; their tests and fixtures are not changed. */
  readonly files: readonly string[]
  /** The tests that must notice a change. */
  readonly tests: readonly string[]
  /** The number of consensus simulations that must notice a change too. */
  readonly simulations?: number
}

const BFT_TESTS = ['src/consensus/bft/**/*.test.ts', 'src/consensus/create-header-rules.test.ts']

/** Code that safety and access depend on. */
export const AREAS: Readonly<Record<string, Area>> = {
  auth: { files: ['src/jsonrpc/auth/*.ts'], tests: ['src/jsonrpc/auth/*.test.ts'] },
  allowlist: {
    files: ['src/allowlist/*.ts', 'src/platform/files/edited-file.ts'],
    tests: ['src/allowlist/*.test.ts', 'src/platform/files/edited-file.test.ts'],
  },
  'signature-log': {
    files: [
      'src/consensus/signature-log.ts',
      'src/consensus/signature-log-entries.ts',
      'src/consensus/signature-entry.ts',
      'src/platform/files/append-file.ts',
    ],
    tests: ['src/consensus/signature-*.test.ts', 'src/platform/files/append-file.test.ts'],
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
