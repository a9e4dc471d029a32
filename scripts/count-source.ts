// node scripts/count-source.ts [checkout]: how many lines src has without tests and fixtures.
import { join, resolve } from 'node:path'
import { isTest, readSources } from '../test/tidy/source.ts'

const checkout = resolve(process.argv[2] ?? join(import.meta.dirname, '..'))
const files = readSources(checkout, 'src').filter(({ path }) => !isTest(path))
const linesOf = (of: typeof files) => of.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
const generated = files.filter(({ path }) => path.endsWith('.generated.ts'))
console.log(
  `${linesOf(files)} lines in ${files.length} files, of which ${linesOf(generated)} lines in ${generated.length} files are generated`,
)
