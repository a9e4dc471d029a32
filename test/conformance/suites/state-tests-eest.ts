import { ratchetRowOf, runFiles } from '../state-tests/run-files.ts'
import type { Suite } from '../suite.ts'

const FOLDER = 'state-tests/eest-state'

export default {
  name: FOLDER,
  ratchetRow: () => ratchetRowOf(FOLDER),
  run: (pack) => runFiles(pack, FOLDER, 'state'),
} satisfies Suite
