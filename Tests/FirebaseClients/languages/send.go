// Sends with Google's own client of the API for Go, and its credentials.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	fcm "google.golang.org/api/fcm/v1"
)

type order struct {
	Project string
	Tokens  []string
	Message fcm.Message
}

func main() {
	var order order
	if err := json.NewDecoder(os.Stdin).Decode(&order); err != nil {
		log.Fatal(err)
	}
	service, err := fcm.NewService(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	names := []string{}
	for _, token := range order.Tokens {
		message := order.Message
		message.Token = token
		request := &fcm.SendMessageRequest{Message: &message}
		sent, err := service.Projects.Messages.Send("projects/"+order.Project, request).Do()
		if err != nil {
			log.Fatal(err)
		}
		names = append(names, sent.Name)
	}
	text, _ := json.Marshal(map[string]any{"names": names})
	fmt.Println(string(text))
}
