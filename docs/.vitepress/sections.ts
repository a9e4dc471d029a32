import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DefaultTheme } from 'vitepress'

export interface Section {
  readonly title: string
  readonly pages: readonly { readonly text: string; readonly link: string }[]
}

/** The sections of "All pages" in index.md, which orders the site as well: `**Start** (tutorials): [Install](start/install.md) · …`. */
export function readSections(docs: string): readonly Section[] {
  const text = readFileSync(join(docs, 'index.md'), 'utf8').split('## All pages')[1]!
  return [...text.matchAll(/^\*\*(\w+)\*\* [\s\S]*?(?=\n\n|\n*$(?![\s\S]))/gm)].map(([paragraph, title]) => ({
    title: title!,
    pages: [...paragraph.matchAll(/\[([^\]]+)\]\(([^)]+)\.md\)/g)].map(([, text, path]) => ({
      text: text!,
      link: `/${path!.replace(/(^|\/)index$/, '$1')}`,
    })),
  }))
}

export function sidebarOf(docs: string, sections: readonly Section[]): DefaultTheme.SidebarItem[] {
  const apis = readdirSync(join(docs, 'reference/rpc'))
    .map((name) => name.replace('.md', ''))
    .filter((name) => name !== 'index')
  return sections.map(({ title, pages }) => ({
    text: title,
    ...(title === 'Formats' ? { collapsed: true } : {}),
    items: pages.map((page) =>
      page.link === '/reference/rpc/'
        ? {
            ...page,
            collapsed: true,
            items: apis.map((api) => ({ text: api, link: `/reference/rpc/${api}` })),
          }
        : page,
    ),
  }))
}
