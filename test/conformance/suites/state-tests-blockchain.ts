import { runFiles } from '../state-tests/run-files.ts'
import type { Suite } from '../suite.ts'

const FOLDER = 'state-tests/eest-blockchain'

/** Runs completely, because it takes only seconds. */
export default { name: FOLDER, run: (pack) => runFiles(pack, FOLDER, 'blockchain', 1) } satisfies Suite
