/**
 * Reads the options of a node and its plugins. Plugins declare options, so they must be loaded first, and their place is
 * itself an option. So the options are read twice: first only the place of the plugins, then everything.
 */

import { resolve } from 'node:path'
import { KNOWN_METHODS } from '#api/registry/known-methods.ts'
import { OptionIndex, parseArguments } from '#config/command-line.ts'
import { dataOptions } from '#config/data-directory.ts'
import type { Option } from '#config/option.ts'
import { sourceOptions } from '#config/options.ts'
import { loadSettings, type Settings, type Sources } from '#config/settings.ts'
import { ALL_OPTIONS } from '#node/all-options.ts'
import { nodeOptions } from '#node/options.ts'
import { systemClock } from '#platform/clock.ts'
import { pluginFault } from '#plugins/faults.ts'
import { findPlugins } from '#plugins/find-plugins.ts'
import { PluginSet } from '#plugins/host/plugin-set.ts'
import { pluginOptions } from '#plugins/options.ts'

const PLUGINS_FOLDER = 'plugins'

export interface OptionTexts extends Pick<Sources, 'environment' | 'readText'> {
  readonly args: readonly string[]
  /** Options known in addition to the node's. */
  readonly extra?: readonly Option[]
}

export interface ConfiguredNode {
  readonly settings: Settings
  /** The plugins are running. A caller that does not start the node must stop them. */
  readonly plugins: PluginSet
  /** Reads the same options again, because a file may have changed. */
  reread(): Settings
}

export async function configureNode(texts: OptionTexts): Promise<ConfiguredNode> {
  const plugins = await loadPlugins(readWhere(texts))
  const own = [...ALL_OPTIONS, ...(texts.extra ?? [])]
  const reread = () => read(texts, [...own, ...plugins.optionRows()])
  try {
    requireOwnOptions(plugins, new OptionIndex(own))
    return { settings: reread(), plugins, reread }
  } catch (error) {
    await plugins.stop()
    throw error
  }
}

function requireOwnOptions(plugins: PluginSet, known: OptionIndex): void {
  for (const host of plugins.hosts) {
    for (const { flag } of Object.values(plugins.optionRowsOf(host))) {
      if (known.find(flag) === undefined) continue
      throw pluginFault(
        `The option ${flag} of the plugin ${host.name} is an option of the node: rename it in ${host.source.file}.`,
      )
    }
  }
}

/** Loads the plugins that the options name, or all in the folder. From here on options may name their methods. */
export async function loadPlugins(settings: Settings, continuesOnError?: boolean): Promise<PluginSet> {
  const folder = resolve(settings.get(dataOptions.dataPath), PLUGINS_FOLDER)
  const sources = settings.get(pluginOptions.externalEnabled)
    ? findPlugins(folder, settings.get(pluginOptions.plugins))
    : []
  const plugins = await PluginSet.load(sources, {
    clock: systemClock,
    isVerified: settings.get(pluginOptions.verificationMode) === 'FULL',
    continuesOnError: continuesOnError ?? settings.get(pluginOptions.continueOnError),
    maxMemoryMb: settings.get(pluginOptions.maxMemoryMb),
  })
  KNOWN_METHODS.add(plugins.methods().map(({ name }) => name))
  return plugins
}

/** Skips all other options, because they may not be known yet. */
function readWhere(texts: OptionTexts): Settings {
  const options = [
    ...Object.values(sourceOptions),
    dataOptions.dataPath,
    nodeOptions.network,
    ...Object.values(pluginOptions),
  ]
  return read(texts, options, () => true)
}

function read(
  { args, environment, readText }: OptionTexts,
  options: readonly Option[],
  passesOver?: (name: string) => boolean,
): Settings {
  const lenient = passesOver && { passesOver }
  const { given } = parseArguments(args, new OptionIndex(options), { stopAtWord: true, ...lenient })
  return loadSettings({ options, commandLine: given, environment, readText, ...lenient })
}
