import type { Locator } from 'playwright-core';

/** The used parts of an element, in the browser. */
interface TextElement {
	childNodes: Iterable<{ nodeType: number }>;
	textContent: string;
}

interface Canvas {
	getContext(kind: '2d'): {
		fillStyle: string;
		fillRect(x: number, y: number, width: number, height: number): void;
		getImageData(x: number, y: number, width: number, height: number): { data: Iterable<number> };
	};
}

declare const document: { createElement(name: 'canvas'): Canvas };
declare function getComputedStyle(element: TextElement): { color: string };

/** All visible red words in a part of the page. */
export async function redTexts(part: Locator): Promise<string[]> {
	const elements = part.locator('span, p, div, a, label').filter({ visible: true });
	return await elements.evaluateAll((all: TextElement[]) => {
		const TEXT_NODE = 3;
		const hasText = ({ childNodes }: TextElement) =>
			[...childNodes].some(({ nodeType }) => nodeType === TEXT_NODE);
		// A style can name its color in any CSS notation; a canvas knows them all.
		const canvas = document.createElement('canvas').getContext('2d');
		const isRed = (element: TextElement) => {
			canvas.fillStyle = getComputedStyle(element).color;
			canvas.fillRect(0, 0, 1, 1);
			const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
			return red > 150 && green < 80 && blue < 80;
		};
		const texts = all.filter((element) => hasText(element) && isRed(element));
		return texts.map(({ textContent }) => textContent.trim()).filter((text) => text !== '');
	});
}
