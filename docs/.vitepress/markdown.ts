import { dirname, relative, resolve } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'

/** Anchors as GitHub makes them, so a link works there and on the site. */
export function githubSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
}

/**
 * Pages are plain Markdown that GitHub shows as well: angle brackets are text, comments are left out, links to files
 * outside docs are plain text, and a fence `mermaid` is a diagram.
 */
export function plainMarkdown(md: MarkdownRenderer, docs: string): void {
  md.core.ruler.before('normalize', 'comments', (state) => {
    state.src = state.src.replaceAll(/<!--[\s\S]*?-->/g, '')
  })

  md.core.ruler.push('outside', (state) => {
    for (const { children } of state.tokens) {
      for (const [at, token] of (children ?? []).entries()) {
        if (token.type !== 'link_open') continue
        const href = token.attrGet('href') ?? ''
        if (/^([a-z]+:|#|\/)/.test(href)) continue
        const path = relative(docs, resolve(dirname(state.env.path), href.split('#')[0]!))
        if (!path.startsWith('..')) continue
        const close = children!.slice(at).find(({ type }) => type === 'link_close')!
        for (const end of [token, close]) end.tag = 'span'
        token.attrs = [['title', `In the source tree: ${path.replace(/^(\.\.\/)+/, '')}`]]
        token.type = 'span_open'
        close.type = 'span_close'
      }
    }
  })

  const fence = md.renderer.rules.fence!
  md.renderer.rules.fence = (tokens, at, options, env, self) => {
    const { info, content } = tokens[at]!
    if (info.trim() !== 'mermaid') return fence(tokens, at, options, env, self)
    return `<Mermaid code="${encodeURIComponent(content)}" />`
  }
}
