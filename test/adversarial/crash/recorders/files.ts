/** Writes small files under strace, and records the acknowledged ones in the marks file. Argument: folder. */
import { join } from 'node:path'
import { EditedFile } from '#platform/files/edited-file.ts'
import { ensureDirectory, writeFileAtomic, writeFileNew } from '#platform/files/files.ts'
import { openMarks } from './marks.ts'

export interface FileMark {
  readonly path: string
  readonly content: string
}

const ROUNDS = 8
const CONTENT_BYTES = 20_000

const [folder] = process.argv.slice(2) as [string]
const mark = openMarks(folder)
const write = (path: string, content: string, save: typeof writeFileNew): void => {
  save(join(folder, path), content)
  mark({ path, content } satisfies FileMark)
}
const edited = new EditedFile(join(folder, 'edited'), 2 * CONTENT_BYTES)
let before = ''
write('edited', before, writeFileNew)
for (let round = 0; round < ROUNDS; round++) {
  const content = `${round}`.repeat(CONTENT_BYTES)
  write('replaced', content, writeFileAtomic)
  await edited.replace(before, content)
  before = content
  mark({ path: 'edited', content } satisfies FileMark)
  write(`new-${round}`, content, writeFileNew)
  const directory = join(`${round}`, 'a', 'b')
  ensureDirectory(join(folder, directory))
  write(join(directory, 'file'), content, writeFileNew)
}
