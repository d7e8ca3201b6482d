const rules = `
.about-range{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;align-items:baseline;margin-top:1.5rem}
.about-range p{margin:0;color:var(--muted);font-size:.875rem}
.console .ranges{display:inline-flex;flex:none;flex-basis:auto;gap:0;border:1px solid var(--control);border-radius:.625rem;overflow:hidden}
.console .ranges a{padding:.375rem .875rem;text-decoration:none}
.console .ranges a+a{border-inline-start:1px solid var(--control)}
.console .ranges a[aria-current]{background:var(--accent);color:var(--on-accent)}
.ranges a:focus-visible{outline-offset:-3px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(9.5rem,100%),1fr));gap:.75rem;margin:1rem 0 0}
.tiles>div{padding:.75rem .875rem;border:1px solid var(--line);border-block-start:.1875rem solid var(--control);border-radius:.5rem}
.tiles>.good{border-block-start-color:var(--good)}
.tiles>.bad{border-block-start-color:var(--error);background:var(--error-soft)}
.tiles dt{color:var(--muted);font-size:.875rem}
.tiles dd{margin:0}
.tiles b{display:block;font-size:1.375rem;font-weight:680;line-height:1.3;letter-spacing:-.01em;font-variant-numeric:tabular-nums}
.tiles small{display:block;color:var(--muted);font-size:.8125rem;line-height:1.4}
.tiles .bad small{color:var(--text)}
.lists{display:grid;gap:0 2rem;grid-template-columns:repeat(auto-fit,minmax(min(17rem,100%),1fr))}
.console :is(.lists,.health) h2{margin-top:1.25rem;font-size:1.0625rem}
.strip{list-style:none;margin:.5rem 0 0;padding:0;display:grid;gap:.5rem;grid-template-columns:repeat(auto-fill,minmax(min(13rem,100%),1fr))}
.strip li{padding:.5rem .75rem;border:1px solid var(--line);border-inline-start:.25rem solid var(--control);border-radius:.5rem;font-size:.9375rem}
.strip .is-up{border-inline-start-color:var(--good)}
.strip .is-down{border-inline-start-color:var(--error);background:var(--error-soft)}
.strip .is-partly{border-inline-start-color:var(--c-wrong)}
.strip b{font-weight:650}
.strip small{display:block;color:var(--muted);font-size:.8125rem}
`;

export const overviewStyle = rules.replaceAll("\n", "");
