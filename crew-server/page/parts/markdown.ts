import createDOMPurify from 'dompurify';
import { Marked } from 'marked';

const marked = new Marked({ gfm: true, breaks: false });
const purify = createDOMPurify(window);

/** The elements of Markdown, and nothing that loads, runs, asks or looks like a part of this page. */
const ALLOWED_TAGS = [
	...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'pre', 'code'],
	...['ul', 'ol', 'li', 'em', 'strong', 'del', 's', 'sub', 'sup', 'a', 'img'],
	...['table', 'thead', 'tbody', 'tr', 'th', 'td'],
];
const ALLOWED_ATTR = ['href', 'src', 'alt', 'title', 'start', 'align', 'target', 'rel'];

purify.addHook('afterSanitizeAttributes', (node) => {
	if (node.nodeName === 'A') {
		const isWeb = /^(https?:|mailto:)/i.test(node.getAttribute('href') ?? '');
		if (!isWeb) node.removeAttribute('href');
		else {
			node.setAttribute('target', '_blank');
			node.setAttribute('rel', 'noopener noreferrer nofollow');
		}
	} else if (node.nodeName === 'IMG' && !/^data:image\//i.test(node.getAttribute('src') ?? '')) {
		// A picture from elsewhere would let its server know that someone reads this.
		node.replaceWith(`[picture: ${node.getAttribute('alt') ?? ''}]`);
	}
});

/** Elements of a Markdown text, from which everything else is removed. */
export function elementsOf(text: string): DocumentFragment {
	return purify.sanitize(marked.parse(text, { async: false }), {
		ALLOWED_TAGS,
		ALLOWED_ATTR,
		ALLOW_DATA_ATTR: false,
		ALLOW_ARIA_ATTR: false,
		RETURN_DOM_FRAGMENT: true,
	});
}
