// Makes dist/, what the package ships: JavaScript and types from src, with an import map of its own.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
rmSync(dist, { recursive: true, force: true })
execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})
// The nearest package.json decides what #room/file.ts means: src in a checkout, JavaScript in the package.
const map = { type: 'module', imports: { '#*.ts': './*.js' } }
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(map, null, 2)}\n`)
