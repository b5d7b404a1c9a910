import {
	ICredentialsHelper,
	type ICredentialDataDecryptedObject,
	type ICredentials,
	type IHttpRequestOptions,
	type INodeProperties,
} from 'n8n-workflow';
import { CrewApi } from '../../credentials/CrewApi.credentials';

/** Gives the node one credential, and authenticates with the real credential type. */
export class CrewCredentials extends ICredentialsHelper {
	private readonly type = new CrewApi();

	constructor(private readonly data: ICredentialDataDecryptedObject) {
		super();
	}

	getParentTypes() {
		return [];
	}

	isCredentialUsableByNode() {
		return true;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		_typeName: string,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		return await this.type.authenticate(credentials, request);
	}

	async preAuthentication() {
		await Promise.resolve();
		return undefined;
	}

	async runPreAuthentication() {
		await Promise.resolve();
		return undefined;
	}

	async getDecrypted(): Promise<ICredentialDataDecryptedObject> {
		return await Promise.resolve(this.data);
	}

	getCredentials(): Promise<ICredentials> {
		throw new Error('The engine asks only for decrypted credentials');
	}

	async updateCredentials() {}

	async updateCredentialsOauthTokenData() {}

	getCredentialsProperties(): INodeProperties[] {
		return this.type.properties;
	}
}
