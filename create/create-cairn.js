#!/usr/bin/env node
// npm create cairn [directory]: copies the template into a new directory.
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

const USAGE = 'Usage: npm create cairn [directory]'
const DEFAULT_DIRECTORY = 'cairn-project'
const TEMPLATE = join(import.meta.dirname, 'template')

const [given = DEFAULT_DIRECTORY, ...rest] = process.argv.slice(2)
if (given === '--help') console.log(USAGE)
else if (given === '' || given.startsWith('-') || rest.length > 0) fail(USAGE)
else create(given)

/** @param {string} given */
function create(given) {
  const directory = resolve(given)
  try {
    if (existsSync(directory) && readdirSync(directory).length > 0) {
      fail(`${directory} is not empty. Name a new directory: npm create cairn my-project`)
      return
    }
    cpSync(TEMPLATE, directory, { recursive: true })
    // npm leaves files named .gitignore out of packages.
    renameSync(join(directory, 'gitignore'), join(directory, '.gitignore'))
    const file = join(directory, 'package.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    manifest.name = packageName(basename(directory))
    writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`)
  } catch (error) {
    fail(`${directory} was not created: ${error instanceof Error ? error.message : error}`)
    return
  }
  console.log(`Created ${directory}. Next:

  cd ${quote(given)}
  npm install
  npm test

README.md shows how to deploy the contract to a network of four validators.`)
}

/**
 * npm accepts fewer names than file systems do.
 * @param {string} name
 */
function packageName(name) {
  const allowed = name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-')
  return allowed.replaceAll(/^-+|-+$/g, '') || DEFAULT_DIRECTORY
}

/** @param {string} path */
function quote(path) {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

/** @param {string} sentence */
function fail(sentence) {
  console.error(sentence)
  process.exitCode = 1
}
