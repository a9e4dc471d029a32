// npm run docs [-- serve | build | preview]: the documentation site; `build` writes it to dist-docs.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const COMMANDS: Record<string, string> = { serve: 'dev', build: 'build', preview: 'preview' }

const root = join(import.meta.dirname, '..')
const program = join(root, 'node_modules/vitepress/bin/vitepress.js')
const [name = 'serve', ...rest] = process.argv.slice(2)
const command = COMMANDS[name]

if (command === undefined) {
  console.error(`Name one of ${Object.keys(COMMANDS).join(', ')}.`)
  process.exitCode = 2
} else if (!existsSync(program)) {
  console.error('The package vitepress is missing. Run npm install first.')
  process.exitCode = 1
} else {
  const { status } = spawnSync(process.execPath, [program, command, 'docs', ...rest], {
    cwd: root,
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
}
