/** Finds this node's plugin modules: the ones named by an option, or all in its folder. */
import { basename, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { suggestion } from '#config/nearest.ts'
import { kindOfPath, namesInDirectory } from '#platform/files/files.ts'
import { pluginFault } from './faults.ts'

export interface PluginSource {
  /** The path shown in messages. */
  readonly file: string
  /** The file name without extension. */
  readonly name: string
  /** The URL of the module. */
  readonly module: string
}

const MODULE = /\.(js|mjs|ts|mts)$/
const DECLARATIONS = /\.d\.m?ts$/

/** If `named` is undefined, all modules in the folder are plugins. */
export function findPlugins(folder: string, named: readonly string[] | undefined): readonly PluginSource[] {
  const inFolder = kindOfPath(folder) === 'directory' ? modulesIn(folder) : []
  if (named === undefined) return inFolder.map((name) => sourceOf(resolve(folder, name)))
  return [...new Set(named)].map((name) => {
    if (MODULE.test(name) || name.includes('/')) return sourceOf(requireFile(resolve(name)))
    const found = inFolder.find((file) => baseName(file) === name)
    if (found !== undefined) return sourceOf(resolve(folder, found))
    const known = inFolder.map(baseName)
    const has = known.length === 0 ? 'it is empty' : `it has ${known.join(', ')}`
    throw pluginFault(
      `The plugin ${name} was not found: there is no such module in ${folder}; ${has}.${suggestion(name, known)}`,
    )
  })
}

function modulesIn(folder: string): readonly string[] {
  return namesInDirectory(folder)
    .filter((name) => MODULE.test(name) && !DECLARATIONS.test(name))
    .sort()
}

function baseName(file: string): string {
  return file.replace(MODULE, '')
}

function requireFile(file: string): string {
  if (kindOfPath(file) === 'file') return file
  throw pluginFault(`The plugin ${file} was not found: there is no such file. Correct --plugins.`)
}

function sourceOf(file: string): PluginSource {
  return { file, name: baseName(basename(file)), module: pathToFileURL(file).href }
}
