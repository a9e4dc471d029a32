import { runFiles } from '../state-tests/run-files.ts'
import type { Suite } from '../suite.ts'

const FOLDER = 'state-tests/regressions'

/** All of it: it is four small files. */
export default { name: FOLDER, run: (pack) => runFiles(pack, FOLDER, 'state', 1) } satisfies Suite
