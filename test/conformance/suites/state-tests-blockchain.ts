import { runFiles } from '../state-tests/run-files.ts'
import type { Suite } from '../suite.ts'

const FOLDER = 'state-tests/eest-blockchain'

/** All of it: it takes seconds. */
export default { name: FOLDER, run: (pack) => runFiles(pack, FOLDER, 'blockchain', 1) } satisfies Suite
