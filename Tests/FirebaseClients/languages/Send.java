import com.google.api.client.googleapis.services.json.AbstractGoogleJsonClient;
import com.google.api.client.googleapis.services.json.AbstractGoogleJsonClientRequest;
import com.google.api.client.http.HttpTransport;
import com.google.api.client.http.javanet.NetHttpTransport;
import com.google.api.client.json.GenericJson;
import com.google.api.client.json.gson.GsonFactory;
import com.google.auth.http.HttpCredentialsAdapter;
import com.google.auth.oauth2.GoogleCredentials;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Sends with Google's client library for Java, which compresses bodies with gzip, and its credentials library. */
public final class Send {
    private static final String SCOPE = "https://www.googleapis.com/auth/firebase.messaging";

    public static void main(String[] arguments) throws Exception {
        GsonFactory gson = GsonFactory.getDefaultInstance();
        GenericJson order = gson.fromInputStream(System.in, GenericJson.class);
        GoogleCredentials credentials = GoogleCredentials.getApplicationDefault().createScoped(SCOPE);
        Client client = new Client(new NetHttpTransport(), gson, new HttpCredentialsAdapter(credentials));
        List<Object> names = new ArrayList<>();
        for (Object token : (List<?>) order.get("tokens")) {
            GenericJson message = new GenericJson();
            message.putAll((Map<String, ?>) order.get("message"));
            message.set("token", token);
            names.add(client.send("projects/" + order.get("project"), message).execute().get("name"));
        }
        System.out.println(gson.toString(new GenericJson().set("names", names)));
    }

    /** A client of the API in the form of Google's generated clients. */
    private static final class Client extends AbstractGoogleJsonClient {
        Client(HttpTransport transport, GsonFactory gson, HttpCredentialsAdapter credentials) {
            super(new Builder(transport, gson, credentials).setApplicationName("pushgate-test"));
        }

        Request send(String parent, GenericJson message) {
            return new Request(this, "v1/" + parent + "/messages:send", new GenericJson().set("message", message));
        }

        private static final class Builder extends AbstractGoogleJsonClient.Builder {
            Builder(HttpTransport transport, GsonFactory gson, HttpCredentialsAdapter credentials) {
                super(transport, gson, "https://fcm.googleapis.com/", "", credentials, false);
            }

            @Override public Builder setApplicationName(String name) {
                super.setApplicationName(name);
                return this;
            }

            @Override public Client build() {
                throw new UnsupportedOperationException();
            }
        }
    }

    private static final class Request extends AbstractGoogleJsonClientRequest<GenericJson> {
        Request(Client client, String path, GenericJson body) {
            super(client, "POST", path, body, GenericJson.class);
        }
    }
}
