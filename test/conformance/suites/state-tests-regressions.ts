import { runFiles } from '../state-tests/run-files.ts'
import type { Suite } from '../suite.ts'

const FOLDER = 'state-tests/regressions'

/** Runs completely, because it has only four small files. */
export default { name: FOLDER, run: (pack) => runFiles(pack, FOLDER, 'state', 1) } satisfies Suite
